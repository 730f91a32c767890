// What the network tells of groups: joined ones whole, changes of others piece by piece.

import type { BaileysEventMap, GroupMetadata, WASocket } from 'baileys'
import type { ConnectionEvents, GroupChange, GroupSettings } from '../../driver.ts'
import { person } from '../ids.ts'
import { groupOf, memberOf, personOf } from './group-form.ts'

type Told = Pick<ConnectionEvents, 'groupJoined' | 'groupChanged' | 'groupsListed'>

export function adaptGroups(sock: WASocket, tell: (telling: (events: Told) => void) => void): void {
  sock.ev.on('groups.upsert', (groups) => {
    for (const group of groups) {
      tell((events) => events.groupJoined(groupOf(group), person(group.author, group.authorPn)))
    }
  })
  sock.ev.on('groups.update', (updates) => {
    // The library has fetched them all, because the network told it that its list is stale.
    const whole = updates.filter((update): update is GroupMetadata => update.participants !== undefined)
    if (whole.length > 0) tell((events) => events.groupsListed(whole.map(groupOf)))
    for (const update of updates) {
      const settings = settingsOf(update)
      if (!update.id || update.participants || Object.keys(settings).length === 0) continue
      const by = person(update.author, update.authorPn)
      const change = { ...nobody, jid: update.id, by, settings }
      tell((events) => events.groupChanged(change))
    }
  })
  sock.ev.on('group-participants.update', (update) => {
    const change = memberChange(update)
    if (change) tell((events) => events.groupChanged(change))
  })
}

const nobody = { joined: [], left: [], promoted: [], demoted: [] }

function settingsOf(update: Partial<GroupMetadata>): Partial<GroupSettings> {
  const { subject, desc, announce, restrict, joinApprovalMode, memberAddMode } = update
  return {
    ...(subject !== undefined && { subject }),
    ...('desc' in update && { topic: desc ?? '' }),
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
  const change = { ...nobody, jid, by: person(author, authorPn), settings: {} }
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
