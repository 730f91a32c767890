// Apart from evolution-payloads.ts, because they are subjects of their own: what events of groups and calls say in the words of Evolution.

import type { CallPayload, GroupsPayload } from '@msgnet/shared/contract/change-envelopes.ts'
import { formatDateTime } from '@msgnet/shared/date-time.ts'
import { isLid } from '@msgnet/shared/jid.ts'
import { orderIds, toOuterId } from './evolution-ids.ts'

/** An event in the words of Evolution. */
export interface Said {
  name: string
  data: unknown
  /** Fields beside `data`. */
  beside?: object
}

/** Its members are told one kind of change after the other. */
export function describeGroup({ type, event }: GroupsPayload): Said[] {
  const { JID: id, Name: subject, Topic: desc, Locked: restrict, Announce: announce } = event
  const author = orderIds(event.Sender, event.sender_pn, event.sender_lid).id
  const changed = { subject, desc, restrict, announce }
  const isChanged = Object.values(changed).some((value) => value !== undefined)
  const group: Said[] =
    type === 'JoinedGroup'
      ? [{ name: 'groups.upsert', data: [{ id, ...changed }] }]
      : isChanged
        ? [{ name: 'groups.update', data: [{ id, ...changed }] }]
        : []
  const { Join: add, Leave: remove, Promote: promote, Demote: demote } = event
  return [...group, ...Object.entries({ add, remove, promote, demote }).flatMap(describeMembers)]

  function describeMembers([action, people]: [string, string[]]): Said[] {
    if (people.length === 0) return []
    const data = {
      id,
      author,
      participants: people.map(toOuterId),
      action,
      participantsData: people.map((jid) => ({
        jid: toOuterId(jid),
        phoneNumber: isLid(jid) ? null : toOuterId(jid),
      })),
    }
    return [{ name: 'group-participants.update', data }]
  }
}

export function describeCall({ event }: CallPayload): Said {
  const { CallID: id, From, GroupJID, IsVideo: isVideo, IsGroup: isGroup, State: status, Timestamp } = event
  const from = toOuterId(From)
  const data = { id, from, chatId: GroupJID || from, isGroup, isVideo, status, offline: false }
  return { name: 'call', data: { ...data, date: formatDateTime(Timestamp) } }
}
