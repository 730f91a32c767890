// Groups as a driver tells them, and what it can be asked to do with them.

import type { Answer } from './answer.ts'
import type { Person } from './person.ts'

export interface GroupMember {
  /** As the group addresses its members. */
  id: string
  pn: string
  lid: string
  role: 'member' | 'admin' | 'superadmin'
  name: string
  /** Of one who could not be added: the network's code, else 0. */
  error: number
}

export interface NetworkGroup {
  jid: string
  owner: Person
  subject: string
  topic: string
  /** Milliseconds since the epoch. */
  created: number
  /** Only admins change what it is called and shows. */
  locked: boolean
  /** Only admins write. */
  announce: boolean
  /** Seconds after which messages go away; 0 when they stay. */
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
  /** Who goes on in the group under another id. */
  renamed?: Renaming[]
}

export interface Renaming {
  from: Person
  to: Person
}

export type MemberAction = 'add' | 'remove' | 'promote' | 'demote' | 'approve' | 'reject'

/** `code` is 0 for what was done. */
export interface MemberVerdict {
  person: Person
  code: number
}

/** What an invitation shows of its group before one is in it. */
export interface InvitedGroup {
  /** Without its members. */
  group: NetworkGroup
  /** How many they are. */
  size: number
}

export interface GroupNetwork {
  all(deadline: AbortSignal): Promise<Answer<NetworkGroup[]>>
  one(jid: string, deadline: AbortSignal): Promise<Answer<NetworkGroup>>
  /** The link as people pass it on. */
  inviteLink(jid: string, deadline: AbortSignal): Promise<Answer<string>>
  /** The group behind an invitation's code. */
  invited(code: string, deadline: AbortSignal): Promise<Answer<InvitedGroup>>
  /** `applied`: its admins decide about it. */
  join(code: string, deadline: AbortSignal): Promise<Answer<{ jid: string; applied: boolean }>>
  /** Answers the new link; the former one leads nowhere. */
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
  /** An empty text takes the description away. */
  describe(jid: string, text: string, deadline: AbortSignal): Promise<Answer>
  announce(jid: string, on: boolean, deadline: AbortSignal): Promise<Answer>
  lock(jid: string, on: boolean, deadline: AbortSignal): Promise<Answer>
  /** Answers the picture's id. */
  setPicture(jid: string, jpeg: Uint8Array, deadline: AbortSignal): Promise<Answer<string>>
  removePicture(jid: string, deadline: AbortSignal): Promise<Answer>
}
