// Groups as a driver reports them, and the calls that read and change them.

import type { Answer } from './answer.ts'
import type { Person } from './person.ts'

export interface GroupMember {
  /** The id by which the group addresses this member. */
  id: string
  pn: string
  lid: string
  role: 'member' | 'admin' | 'superadmin'
  name: string
  /** The network's code if the person could not be added, else 0. */
  error: number
}

export interface NetworkGroup {
  jid: string
  owner: Person
  subject: string
  topic: string
  /** Milliseconds since the epoch. */
  created: number
  /** Only admins change its name, description and picture. */
  locked: boolean
  /** Only admins write. */
  announce: boolean
  /** Seconds after which messages disappear; 0 when they stay. */
  ephemeral: number
  joinApproval: boolean
  memberAddMode: 'admin_add' | 'all_member_add'
  addressing: 'pn' | 'lid'
  members: GroupMember[]
}

export type GroupSettings = Pick<
  NetworkGroup,
  'subject' | 'topic' | 'locked' | 'announce' | 'ephemeral' | 'joinApproval' | 'memberAddMode'
>

export interface GroupChange {
  jid: string
  by: Person
  settings: Partial<GroupSettings>
  joined: GroupMember[]
  left: Person[]
  promoted: Person[]
  demoted: Person[]
  /** Members whose id has changed. */
  renamed?: Renaming[]
}

export interface Renaming {
  from: Person
  to: Person
}

export type MemberAction = 'add' | 'remove' | 'promote' | 'demote' | 'approve' | 'reject'

/** `code` is 0 on success. */
export interface MemberVerdict {
  person: Person
  code: number
}

/** The part of a group that its invitation shows to people who are not in it. */
export interface InvitedGroup {
  /** Without its members. */
  group: NetworkGroup
  /** The number of members. */
  size: number
}

export interface GroupNetwork {
  all(deadline: AbortSignal): Promise<Answer<NetworkGroup[]>>
  one(jid: string, deadline: AbortSignal): Promise<Answer<NetworkGroup>>
  /** The invitation link that people share. */
  inviteLink(jid: string, deadline: AbortSignal): Promise<Answer<string>>
  /** The group behind an invitation's code. */
  invited(code: string, deadline: AbortSignal): Promise<Answer<InvitedGroup>>
  /** `applied`: the admins have to approve it first. */
  join(code: string, deadline: AbortSignal): Promise<Answer<{ jid: string; applied: boolean }>>
  /** Answers the new link; the former one is no longer valid. */
  resetInvite(jid: string, deadline: AbortSignal): Promise<Answer<string>>
  create(name: string, people: string[], deadline: AbortSignal): Promise<Answer<NetworkGroup>>
  changeMembers(
    jid: string,
    action: MemberAction,
    people: string[],
    deadline: AbortSignal,
  ): Promise<Answer<MemberVerdict[]>>
  leave(jid: string, deadline: AbortSignal): Promise<Answer>
  rename(jid: string, name: string, deadline: AbortSignal): Promise<Answer>
  /** An empty text removes the description. */
  describe(jid: string, text: string, deadline: AbortSignal): Promise<Answer>
  announce(jid: string, on: boolean, deadline: AbortSignal): Promise<Answer>
  lock(jid: string, on: boolean, deadline: AbortSignal): Promise<Answer>
  /** Answers the picture's id. */
  setPicture(jid: string, jpeg: Uint8Array, deadline: AbortSignal): Promise<Answer<string>>
  removePicture(jid: string, deadline: AbortSignal): Promise<Answer>
}
