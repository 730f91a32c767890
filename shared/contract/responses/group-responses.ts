// Responses with groups (open points, "Groups").

import * as z from 'zod'

export const GroupParticipant = z.object({
  JID: z.string(),
  LID: z.string(),
  PhoneNumber: z.string(),
  IsAdmin: z.boolean(),
  IsSuperAdmin: z.boolean(),
  DisplayName: z.string(),
  Error: z.int().describe("0, or the network's code if the person could not be added."),
})
export type GroupParticipant = z.infer<typeof GroupParticipant>

export const GroupRecord = z.object({
  JID: z.string(),
  OwnerJID: z.string(),
  OwnerPN: z.string(),
  Name: z.string(),
  Topic: z.string(),
  GroupCreated: z.int().describe('Milliseconds since the epoch.'),
  IsLocked: z.boolean().describe('`true`: only admins can change name and picture.'),
  IsAnnounce: z.boolean().describe('`true`: only admins can write.'),
  IsEphemeral: z.boolean(),
  DisappearingTimer: z.int().describe('Seconds; 0 if messages do not disappear.'),
  IsJoinApprovalRequired: z.boolean(),
  MemberAddMode: z.string().describe('`admin_add` or `all_member_add`.'),
  AddressingMode: z.string().describe('`pn` or `lid`.'),
  OwnerIsAdmin: z.boolean().describe('The linked account is an admin.'),
  OwnerCanSendMessage: z.boolean().describe('The linked account may write.'),
  ParticipantCount: z.int(),
  invite_link: z.string(),
  Participants: z.array(GroupParticipant),
})
export type GroupRecord = z.infer<typeof GroupRecord>

export const GroupList = z.object({ groups: z.array(GroupRecord) })
export type GroupList = z.infer<typeof GroupList>

export const ParticipantsResult = z.object({
  groupUpdated: z.array(
    z.object({
      JID: z.string(),
      Error: z.int().describe("0 means done; any other value is the network's code."),
    }),
  ),
  group: GroupRecord,
  needs_refresh: z.boolean(),
})
export type ParticipantsResult = z.infer<typeof ParticipantsResult>

export const GroupChanged = z.object({
  response: z.string(),
  needs_refresh: z.literal(true).describe('The network confirms the change later, by an event.'),
  pictureId: z.string().optional().describe('Present if a picture was set.'),
})
export type GroupChanged = z.infer<typeof GroupChanged>

export const GroupWithResponse = z.object({
  response: z.string(),
  group: GroupRecord,
  needs_refresh: z
    .boolean()
    .describe('The group is not complete: the network sends the rest later, by an event.'),
})
export type GroupWithResponse = z.infer<typeof GroupWithResponse>

/** A person who has asked to join a group whose admins decide that. */
export const JoinRequest = z.object({
  JID: z.string(),
  LID: z.string(),
  PhoneNumber: z.string(),
  RequestedAt: z.int().describe('Milliseconds since the epoch; 0 if the network does not say.'),
  Method: z
    .string()
    .describe('How, in the words of the network, such as `invite_link`; empty if it does not say.'),
})
export type JoinRequest = z.infer<typeof JoinRequest>

export const JoinRequests = z.object({ requests: z.array(JoinRequest) })
export type JoinRequests = z.infer<typeof JoinRequests>

export const InviteReset = GroupWithResponse.omit({ response: true }).extend({ InviteLink: z.string() })
export type InviteReset = z.infer<typeof InviteReset>
