// Converts the network's events about groups: joined groups as a whole, and the changes of others.

import { truncateName } from '@msgnet/shared/truncation.ts'
import {
  type BaileysEventMap,
  type BinaryNode,
  type GroupMetadata,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isLidUser,
  proto,
  type WAMessage,
  type WASocket,
} from 'baileys'
import type { ConnectionEvents, GroupChange, GroupSettings, MemberIdChange } from '../../driver.ts'
import { toGatewayJid, toNetworkJid, toPerson } from '../ids.ts'
import { toMilliseconds } from '../network-times.ts'
import { boundTopic, toMember, toNetworkGroup, toParticipantIds } from './group-conversion.ts'

type GroupEvents = Pick<
  ConnectionEvents,
  'onGroupJoined' | 'onGroupChanged' | 'onGroupsListed' | 'onGroupAddressed'
>

export function adaptGroups(sock: WASocket, report: (call: (events: GroupEvents) => void) => void): void {
  const times = new NoticeTimes()
  sock.ws.on('CB:notification,type:w:gp2,create', ({ attrs }: BinaryNode) => times.addJoin(attrs))
  sock.ev.on('groups.upsert', (groups) => {
    for (const group of groups) {
      const by = toPerson(group.author, group.authorPn)
      const at = times.takeJoin(group.id)
      report((events) => events.onGroupJoined(toNetworkGroup(group), by, at))
    }
  })
  watchEvents(sock, times)
  sock.ev.on(UNBUFFERED, (updates) => {
    // The library has fetched all groups, because the network reported that its list is stale.
    const wholeGroups = updates.filter((update): update is GroupMetadata => update.participants !== undefined)
    if (wholeGroups.length > 0) report((events) => events.onGroupsListed(wholeGroups.map(toNetworkGroup)))
    for (const update of updates) {
      const settings = readSettings(update)
      if (!update.id || update.participants || Object.keys(settings).length === 0) continue
      const by = toPerson(update.author, update.authorPn)
      const change = { ...noMembers, jid: update.id, by, settings, ...times.describe(update.id) }
      report((events) => events.onGroupChanged(change))
    }
  })
  sock.ev.on('group-participants.update', (update) => {
    const change = readMemberChange(update)
    const at = times.describe(update.id)
    if (change) report((events) => events.onGroupChanged({ ...change, ...at }))
  })
  sock.ws.on('CB:notification,type:w:gp2', ({ attrs }: BinaryNode) => {
    const { from = '', addressing_mode: mode } = attrs
    if (mode === 'pn' || mode === 'lid') report((events) => events.onGroupAddressed(toGatewayJid(from), mode))
  })
  // The library reads ids as JSON here, throws, and reports nothing.
  sock.ws.on('CB:notification,type:w:gp2,modify', (node: BinaryNode) => {
    const change = readIdChange(node)
    if (!change) return
    report((events) => events.onGroupChanged(change))
    // A store that failed has already ended the connection.
    for (const idChange of change.renamed ?? []) storeIdChange(sock, idChange).catch(() => undefined)
  })
}

/** Under its own name the library buffers the event, and then reports only the first update of each group: the others are dropped. */
const UNBUFFERED = 'groups.update unbuffered' as 'groups.update'

function watchEvents({ ev }: WASocket, times: NoticeTimes): void {
  const { emit } = ev
  ev.emit = (event, data) => {
    if (event === 'messages.upsert') times.addChange((data as BaileysEventMap['messages.upsert']).messages)
    return emit(event === 'groups.update' ? (UNBUFFERED as typeof event) : event, data)
  }
}

const { CIPHERTEXT } = proto.WebMessageInfo.StubType

/** When the groups were changed, also while this device was away: the library does not say it with the change. */
class NoticeTimes {
  /** Of groups that the library is about to report. */
  readonly #joins = new Map<string, number>()
  /** Just before it reports a change, it reports a message about it. It handles one notice at a time. */
  #latest: { jid: string; at: number } | undefined

  addJoin({ from, t }: BinaryNode['attrs']): void {
    this.#joins.set(toGatewayJid(from), toMilliseconds(t))
  }

  takeJoin(jid: string): number | undefined {
    const at = this.#joins.get(jid)
    this.#joins.delete(jid)
    return at
  }

  addChange(messages: WAMessage[]): void {
    for (const { key, messageStubType: stub, messageTimestamp } of messages)
      if (stub && stub !== CIPHERTEXT && key.remoteJid)
        this.#latest = { jid: toGatewayJid(key.remoteJid), at: toMilliseconds(messageTimestamp) }
  }

  describe(jid: string): Pick<GroupChange, 'at'> {
    return this.#latest?.jid === jid ? { at: this.#latest.at } : {}
  }
}

/** Stores the new number of a LID, and deletes the mapping of the previous one. */
async function storeIdChange(
  { authState, signalRepository }: WASocket,
  { from, to }: MemberIdChange,
): Promise<void> {
  if (!to.pn || !to.lid) return
  const [previousNumber = ''] = from.pn.split('@')
  if (previousNumber && from.lid === to.lid)
    await authState.keys.set({ 'lid-mapping': { [previousNumber]: null } })
  await signalRepository.lidMapping.storeLIDPNMappings([{ pn: toNetworkJid(to.pn), lid: to.lid }])
}

const noMembers = { joined: [], left: [], promoted: [], demoted: [] }

/** A member has changed numbers: the notice is sent under the old id and names the new one. */
function readIdChange(node: BinaryNode): GroupChange | undefined {
  const { attrs } = node
  const modify = getBinaryNodeChild(node, 'modify')
  const [participant, ...others] = modify ? getBinaryNodeChildren(modify, 'participant') : []
  if (!participant || others.length > 0) return undefined
  const from = toPerson(attrs.participant, attrs.participant_pn, attrs.participant_lid)
  const to = toPerson(participant.attrs.jid, participant.attrs.phone_number, participant.attrs.lid)
  if (!from.id || !to.id) return undefined
  // The group has changed its addressing: the member is the same.
  if (isLidUser(from.id) !== isLidUser(to.id)) return undefined
  // A member that is addressed by LID may have the same LID as before.
  if (from.id === to.id && (!to.pn || from.pn === to.pn)) return undefined
  const at = toMilliseconds(attrs.t)
  return { ...noMembers, jid: toGatewayJid(attrs.from), by: from, settings: {}, renamed: [{ from, to }], at }
}

function readSettings(update: Partial<GroupMetadata>): Partial<GroupSettings> {
  const { subject, desc, announce, restrict, joinApprovalMode, memberAddMode } = update
  return {
    ...(subject !== undefined && { subject: truncateName(subject) }),
    ...('desc' in update && { topic: boundTopic(desc ?? '') }),
    ...(announce !== undefined && { announce }),
    ...(restrict !== undefined && { locked: restrict }),
    ...(joinApprovalMode !== undefined && { joinApproval: joinApprovalMode }),
    ...(memberAddMode !== undefined && {
      memberAddMode: memberAddMode ? ('all_member_add' as const) : ('admin_add' as const),
    }),
  }
}

function readMemberChange(update: BaileysEventMap['group-participants.update']): GroupChange | undefined {
  const { id: jid, author, authorPn, action, participants } = update
  const change = { ...noMembers, jid, by: toPerson(author, authorPn), settings: {} }
  const people = participants.map(toParticipantIds)
  switch (action) {
    case 'add':
      return { ...change, joined: participants.map(toMember) }
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
