// Groups and their changes in the contract's shapes.

import type { GroupsPayload } from '@msgnet/shared/contract/change-envelopes.ts'
import type { GroupRecord } from '@msgnet/shared/contract/responses/group-responses.ts'
import type { GroupChange, GroupMember, NetworkGroup, Person } from '../driver/driver.ts'
import { createEvent, type NewEvent } from './message-records.ts'

/** The phone number's jid where it is known, else the id. */
export const chooseJid = ({ id, pn }: Pick<Person, 'id' | 'pn'>): string => pn || id

interface GroupRecordOptions {
  participants?: boolean
  inviteLink?: string
  /** The number of members, where the members themselves are unknown. */
  size?: number
}

export function toGroupRecord(
  group: NetworkGroup,
  isOwn: (member: GroupMember) => boolean,
  { participants = true, inviteLink = '', size }: GroupRecordOptions = {},
): GroupRecord {
  const members = group.members.filter(({ error }) => error === 0)
  const own = members.find(isOwn)
  const admin = own !== undefined && own.role !== 'member'
  // The network may name the owner's other id in the list of members only.
  const owner = group.members.find((member) => isSamePerson(member, group.owner)) ?? group.owner
  const pn = owner.pn || group.owner.pn
  return {
    JID: group.jid,
    OwnerJID: chooseJid({ id: group.owner.id, pn }),
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
    Participants: participants ? group.members.map(toParticipantRecord) : [],
  }
}

const isSamePerson = (one: Person, other: Person) =>
  [one.id, one.pn, one.lid].some((id) => id !== '' && [other.id, other.pn, other.lid].includes(id))

const toParticipantRecord = (member: GroupMember) => ({
  JID: chooseJid(member),
  LID: member.lid,
  PhoneNumber: member.pn,
  IsAdmin: member.role !== 'member',
  IsSuperAdmin: member.role === 'superadmin',
  DisplayName: member.name,
  Error: member.error,
})

const noMembers = { Join: [], Leave: [], Promote: [], Demote: [] }

const buildEventHead = (jid: string, by: Person, at = Date.now()) => ({
  JID: jid,
  Sender: by.id,
  sender_pn: by.pn,
  sender_lid: by.lid,
  Timestamp: at,
})

export function createGroupEvent(change: GroupChange): NewEvent {
  const { jid, by, at, settings, joined, left, promoted, demoted, renamed = [] } = change
  const { subject, topic, locked, announce } = settings
  const payload: GroupsPayload = {
    type: 'Group',
    event: {
      ...buildEventHead(jid, by, at),
      ...(subject !== undefined && { Name: subject }),
      ...(topic !== undefined && { Topic: topic }),
      ...(locked !== undefined && { Locked: locked }),
      ...(announce !== undefined && { Announce: announce }),
      // A member who changed ids has left under the old id and joined under the new one.
      Join: [...joined, ...renamed.map(({ to }) => to)].map(chooseJid),
      Leave: [...left, ...renamed.map(({ from }) => from)].map(chooseJid),
      Promote: promoted.map(chooseJid),
      Demote: demoted.map(chooseJid),
    },
  }
  return createEvent('groups', payload)
}

export function createJoinedEvent(group: NetworkGroup, by: Person, at?: number): NewEvent {
  const { jid, subject, topic, locked, announce } = group
  const shown = { Name: subject, Topic: topic, Locked: locked, Announce: announce }
  return createEvent('groups', {
    type: 'JoinedGroup',
    event: { ...buildEventHead(jid, by, at), ...shown, ...noMembers },
  })
}
