// Converts the network's events about groups: joined groups as a whole, and the changes of others.

import {
  type BaileysEventMap,
  type BinaryNode,
  type GroupMetadata,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isLidUser,
  type WASocket,
} from 'baileys'
import { boundedName } from '../../../../shared/bounds.ts'
import type { ConnectionEvents, GroupChange, GroupSettings, Renaming } from '../../driver.ts'
import { inward, outward, person } from '../ids.ts'
import { boundedTopic, groupOf, memberOf, personOf } from './group-form.ts'

type GroupEvents = Pick<ConnectionEvents, 'groupJoined' | 'groupChanged' | 'groupsListed' | 'groupAddressed'>

export function adaptGroups(sock: WASocket, report: (call: (events: GroupEvents) => void) => void): void {
  sock.ev.on('groups.upsert', (groups) => {
    for (const group of groups) {
      report((events) => events.groupJoined(groupOf(group), person(group.author, group.authorPn)))
    }
  })
  unbufferUpdates(sock)
  sock.ev.on(UNBUFFERED, (updates) => {
    // The library has fetched all groups, because the network reported that its list is stale.
    const whole = updates.filter((update): update is GroupMetadata => update.participants !== undefined)
    if (whole.length > 0) report((events) => events.groupsListed(whole.map(groupOf)))
    for (const update of updates) {
      const settings = settingsOf(update)
      if (!update.id || update.participants || Object.keys(settings).length === 0) continue
      const by = person(update.author, update.authorPn)
      const change = { ...noMembers, jid: update.id, by, settings }
      report((events) => events.groupChanged(change))
    }
  })
  sock.ev.on('group-participants.update', (update) => {
    const change = memberChange(update)
    if (change) report((events) => events.groupChanged(change))
  })
  sock.ws.on('CB:notification,type:w:gp2', ({ attrs }: BinaryNode) => {
    const { from = '', addressing_mode: mode } = attrs
    if (mode === 'pn' || mode === 'lid') report((events) => events.groupAddressed(inward(from), mode))
  })
  // The library reads ids as JSON here, throws, and reports nothing.
  sock.ws.on('CB:notification,type:w:gp2,modify', (node: BinaryNode) => {
    const change = renaming(node)
    if (!change) return
    report((events) => events.groupChanged(change))
    // A store that failed has already ended the connection.
    for (const one of change.renamed ?? []) remap(sock, one).catch(() => undefined)
  })
}

/** Under its own name the library buffers the event, and then keeps only the first update of each group: the others are lost. */
const UNBUFFERED = 'groups.update unbuffered' as 'groups.update'

function unbufferUpdates({ ev }: WASocket): void {
  const { emit } = ev
  ev.emit = (event, data) => emit(event === 'groups.update' ? (UNBUFFERED as typeof event) : event, data)
}

/** Stores the new number of a LID, and forgets the mapping of the former one. */
async function remap({ authState, signalRepository }: WASocket, { from, to }: Renaming): Promise<void> {
  if (!to.pn || !to.lid) return
  const [former = ''] = from.pn.split('@')
  if (former && from.lid === to.lid) await authState.keys.set({ 'lid-mapping': { [former]: null } })
  await signalRepository.lidMapping.storeLIDPNMappings([{ pn: outward(to.pn), lid: to.lid }])
}

const noMembers = { joined: [], left: [], promoted: [], demoted: [] }

/** A member has changed numbers: the notice is sent under the old id and names the new one. */
function renaming(node: BinaryNode): GroupChange | undefined {
  const { attrs } = node
  const modify = getBinaryNodeChild(node, 'modify')
  const [one, ...others] = modify ? getBinaryNodeChildren(modify, 'participant') : []
  if (!one || others.length > 0) return undefined
  const from = person(attrs.participant, attrs.participant_pn, attrs.participant_lid)
  const to = person(one.attrs.jid, one.attrs.phone_number, one.attrs.lid)
  if (!from.id || !to.id) return undefined
  // The group has changed its addressing: the member is the same.
  if (isLidUser(from.id) !== isLidUser(to.id)) return undefined
  // A member who is addressed by LID may keep the LID.
  if (from.id === to.id && (!to.pn || from.pn === to.pn)) return undefined
  return { ...noMembers, jid: inward(attrs.from), by: from, settings: {}, renamed: [{ from, to }] }
}

function settingsOf(update: Partial<GroupMetadata>): Partial<GroupSettings> {
  const { subject, desc, announce, restrict, joinApprovalMode, memberAddMode } = update
  return {
    ...(subject !== undefined && { subject: boundedName(subject) }),
    ...('desc' in update && { topic: boundedTopic(desc ?? '') }),
    ...(announce !== undefined && { announce }),
    ...(restrict !== undefined && { locked: restrict }),
    ...(joinApprovalMode !== undefined && { joinApproval: joinApprovalMode }),
    ...(memberAddMode !== undefined && {
      memberAddMode: memberAddMode ? ('all_member_add' as const) : ('admin_add' as const),
    }),
  }
}

function memberChange(update: BaileysEventMap['group-participants.update']): GroupChange | undefined {
  const { id: jid, author, authorPn, action, participants } = update
  const change = { ...noMembers, jid, by: person(author, authorPn), settings: {} }
  const people = participants.map(personOf)
  switch (action) {
    case 'add':
      return { ...change, joined: participants.map(memberOf) }
    case 'remove':
      return { ...change, left: people }
    case 'promote':
      return { ...change, promoted: people }
    case 'demote':
      return { ...change, demoted: people }
    default:
      return undefined
  }
}
