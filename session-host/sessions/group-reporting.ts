// Groups and their changes in the contract's shapes.

import type { GroupRecord } from '../../shared/contract/answers/group.ts'
import type { GroupsPayload } from '../../shared/contract/change-envelopes.ts'
import type { GroupChange, GroupMember, NetworkGroup, Person } from '../driver/driver.ts'
import { type EventOf, event } from './reporting.ts'

/** The phone number's jid where it is known, else the id. */
export const jidOf = ({ id, pn }: Pick<Person, 'id' | 'pn'>): string => pn || id

interface Shown {
  participants?: boolean
  inviteLink?: string
  /** The number of members, where the members themselves are unknown. */
  size?: number
}

export function groupRecord(
  group: NetworkGroup,
  isOwn: (member: GroupMember) => boolean,
  { participants = true, inviteLink = '', size }: Shown = {},
): GroupRecord {
  const members = group.members.filter(({ error }) => error === 0)
  const own = members.find(isOwn)
  const admin = own !== undefined && own.role !== 'member'
  // The network may name the owner's other id in the list of members only.
  const owner = group.members.find((member) => isSame(member, group.owner)) ?? group.owner
  const pn = owner.pn || group.owner.pn
  return {
    JID: group.jid,
    OwnerJID: jidOf({ id: group.owner.id, pn }),
    OwnerPN: pn,
    Name: group.subject,
    Topic: group.topic,
    GroupCreated: group.created,
    IsLocked: group.locked,
    IsAnnounce: group.announce,
    IsEphemeral: group.ephemeral > 0,
    DisappearingTimer: group.ephemeral,
    IsJoinApprovalRequired: group.joinApproval,
    MemberAddMode: group.memberAddMode,
    AddressingMode: group.addressing,
    OwnerIsAdmin: admin,
    OwnerCanSendMessage: own !== undefined && (admin || !group.announce),
    ParticipantCount: size ?? members.length,
    invite_link: inviteLink,
    Participants: participants ? group.members.map(participantRecord) : [],
  }
}

const isSame = (one: Person, other: Person) =>
  [one.id, one.pn, one.lid].some((id) => id !== '' && [other.id, other.pn, other.lid].includes(id))

const participantRecord = (member: GroupMember) => ({
  JID: jidOf(member),
  LID: member.lid,
  PhoneNumber: member.pn,
  IsAdmin: member.role !== 'member',
  IsSuperAdmin: member.role === 'superadmin',
  DisplayName: member.name,
  Error: member.error,
})

const noMembers = { Join: [], Leave: [], Promote: [], Demote: [] }

const headOf = (jid: string, by: Person) => ({
  JID: jid,
  Sender: by.id,
  sender_pn: by.pn,
  sender_lid: by.lid,
  Timestamp: Date.now(),
})

export function groupEvent(change: GroupChange): EventOf {
  const { jid, by, settings, joined, left, promoted, demoted, renamed = [] } = change
  const { subject, topic, locked, announce } = settings
  const payload: GroupsPayload = {
    type: 'Group',
    event: {
      ...headOf(jid, by),
      ...(subject !== undefined && { Name: subject }),
      ...(topic !== undefined && { Topic: topic }),
      ...(locked !== undefined && { Locked: locked }),
      ...(announce !== undefined && { Announce: announce }),
      // A member who changed ids has left under the old id and joined under the new one.
      Join: [...joined, ...renamed.map(({ to }) => to)].map(jidOf),
      Leave: [...left, ...renamed.map(({ from }) => from)].map(jidOf),
      Promote: promoted.map(jidOf),
      Demote: demoted.map(jidOf),
    },
  }
  return event('groups', payload)
}

export function joinedEvent(group: NetworkGroup, by: Person): EventOf {
  const { jid, subject, topic, locked, announce } = group
  const shown = { Name: subject, Topic: topic, Locked: locked, Announce: announce }
  return event('groups', { type: 'JoinedGroup', event: { ...headOf(jid, by), ...shown, ...noMembers } })
}
