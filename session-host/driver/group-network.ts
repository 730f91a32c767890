// Groups as a driver reports them, and the calls that read and change them.

import type { NetworkOutcome } from './network-outcome.ts'
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
  /** When, in milliseconds since the epoch; absent for now. */
  at?: number
  settings: Partial<GroupSettings>
  joined: GroupMember[]
  left: Person[]
  promoted: Person[]
  demoted: Person[]
  /** Members whose id has changed. */
  renamed?: MemberIdChange[]
}

export interface MemberIdChange {
  from: Person
  to: Person
}

export type MemberAction = 'add' | 'remove' | 'promote' | 'demote' | 'approve' | 'reject'

/** `code` is 0 on success. */
export interface MemberResult {
  person: Person
  code: number
}

export interface JoinRequest {
  person: Person
  /** Milliseconds since the epoch; 0 if the network does not say. */
  at: number
  /** In the words of the network. */
  method: string
}

/** The part of a group that its invitation shows to people who are not in it. */
export interface InvitedGroup {
  /** Without its members. */
  group: NetworkGroup
  /** The number of members. */
  size: number
}

export interface GroupNetwork {
  listGroups(deadline: AbortSignal): Promise<NetworkOutcome<NetworkGroup[]>>
  getGroup(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<NetworkGroup>>
  /** The invitation link that people share. */
  getInviteLink(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<string>>
  /** The group behind an invitation's code. */
  getInvitedGroup(code: string, deadline: AbortSignal): Promise<NetworkOutcome<InvitedGroup>>
  /** `applied`: the admins have to approve it first. */
  joinGroup(code: string, deadline: AbortSignal): Promise<NetworkOutcome<{ jid: string; applied: boolean }>>
  /** The new link; the previous one is no longer valid. */
  resetInviteLink(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<string>>
  createGroup(name: string, people: string[], deadline: AbortSignal): Promise<NetworkOutcome<NetworkGroup>>
  changeMembers(
    jid: string,
    action: MemberAction,
    people: string[],
    deadline: AbortSignal,
  ): Promise<NetworkOutcome<MemberResult[]>>
  leaveGroup(jid: string, deadline: AbortSignal): Promise<NetworkOutcome>
  renameGroup(jid: string, name: string, deadline: AbortSignal): Promise<NetworkOutcome>
  /** An empty text removes the description. */
  setDescription(jid: string, text: string, deadline: AbortSignal): Promise<NetworkOutcome>
  setAnnounceOnly(jid: string, on: boolean, deadline: AbortSignal): Promise<NetworkOutcome>
  setLocked(jid: string, on: boolean, deadline: AbortSignal): Promise<NetworkOutcome>
  setJoinApproval(jid: string, on: boolean, deadline: AbortSignal): Promise<NetworkOutcome>
  setMemberAddMode(
    jid: string,
    mode: NetworkGroup['memberAddMode'],
    deadline: AbortSignal,
  ): Promise<NetworkOutcome>
  /** In seconds; 0: messages stay. */
  setEphemeral(jid: string, seconds: number, deadline: AbortSignal): Promise<NetworkOutcome>
  /** Who asks to join. */
  listRequests(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<JoinRequest[]>>
  /** The picture's id. */
  setPicture(jid: string, jpeg: Uint8Array, deadline: AbortSignal): Promise<NetworkOutcome<string>>
  removePicture(jid: string, deadline: AbortSignal): Promise<NetworkOutcome>
}
