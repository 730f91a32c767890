// Groups: their data, members, settings and invitations.

import type * as groups from '@msgnet/shared/contract/responses/group-responses.ts'
import type { Context } from 'hono'
import { ContractRefusal, callContract, type RouteName } from '../http/call-contract.ts'
import type { Row, Rows } from '../http/dialect-rows.ts'
import { type Fields, readText } from '../http/read-fields.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { requireKnown } from './evolution-bodies.ts'
import { listNumbers, orderIds, toGroupId, toOuterId, toSeconds } from './evolution-ids.ts'

const describeMember = ({ JID, LID, PhoneNumber, IsAdmin, IsSuperAdmin }: groups.GroupParticipant) => {
  const { id } = orderIds(JID, PhoneNumber, LID)
  return { id, admin: IsSuperAdmin ? 'superadmin' : IsAdmin ? 'admin' : null }
}

function describeGroup(group: groups.GroupRecord) {
  const { JID: id, Name, Topic, OwnerJID, OwnerPN, GroupCreated, IsLocked, IsAnnounce, Participants } = group
  return {
    id,
    subject: Name,
    pictureUrl: null,
    size: group.ParticipantCount,
    creation: toSeconds(GroupCreated),
    owner: orderIds(OwnerJID, OwnerPN, '').id,
    desc: Topic,
    restrict: IsLocked,
    announce: IsAnnounce,
    participants: Participants.map(describeMember),
  }
}

const describeInvite = (inviteUrl: string) => ({
  inviteUrl,
  inviteCode: inviteUrl.slice(inviteUrl.lastIndexOf('/') + 1),
})

async function createGroup(c: Context<EdgeEnv>, { subject, participants, description }: Fields) {
  const body = { name: readText(subject), participants: listNumbers(participants) }
  const group = await callContract<groups.GroupRecord>(c, 'createGroup', { body, isKeyed: true })
  const change = { groupjid: group.JID, description: readText(description) }
  try {
    if (change.description) await callContract(c, 'describeGroup', { body: change, isKeyed: true, part: 1 })
    return { ...describeGroup(group), desc: change.description }
  } catch (error) {
    if (!(error instanceof ContractRefusal)) throw error
    // The group is there, and a caller that did not hear its id would create it again.
    return describeGroup(group)
  }
}

const settings: Record<string, [RouteName, object]> = {
  announcement: ['announceGroup', { announce: true }],
  not_announcement: ['announceGroup', { announce: false }],
  locked: ['lockGroup', { locked: true }],
  unlocked: ['lockGroup', { locked: false }],
}

async function changeSetting(c: Context<EdgeEnv>, { groupJid, action }: Fields) {
  const [route, setting] = settings[requireKnown('action', action, Object.keys(settings))] ?? []
  const body = { groupjid: toGroupId(groupJid), ...setting }
  if (route) await callContract(c, route, { body, isKeyed: true })
  return { updateSetting: { action, groupJid: body.groupjid } }
}

const findInvite = async (c: Context<EdgeEnv>, { groupJid }: Fields) => {
  const body = { groupjid: toGroupId(groupJid), getInviteLink: true }
  return describeInvite((await callContract<groups.GroupRecord>(c, 'showGroup', { body })).invite_link)
}

/** A text for each of them, once by its part of the key. */
async function sendInvite(c: Context<EdgeEnv>, fields: Fields) {
  const numbers = listNumbers(fields.numbers)
  const { inviteUrl } = await findInvite(c, fields)
  const text = `${readText(fields.description)}\n\n${inviteUrl}`.trim()
  for (const [part, number] of numbers.entries())
    await callContract(c, 'sendText', { body: { number, text }, isKeyed: true, part })
  return { send: true, inviteUrl }
}

async function fetchGroups(c: Context<EdgeEnv>, { getParticipants }: Fields) {
  const hasMembers = String(getParticipants) === 'true'
  const query: Record<string, string> = hasMembers ? {} : { noparticipants: 'true' }
  const { groups } = await callContract<groups.GroupList>(c, 'listGroups', { query })
  const described = groups.map(describeGroup)
  return hasMembers ? described : described.map(({ participants: _, ...group }) => group)
}

const describeMembers = ({ Participants }: groups.GroupRecord) => ({
  participants: Participants.map((member) => ({
    ...describeMember(member),
    phoneNumber: toOuterId(member.PhoneNumber) || null,
    name: member.DisplayName || null,
  })),
})

const describeResults = ({ groupUpdated }: groups.ParticipantsResult) => ({
  updateParticipants: groupUpdated.map(({ JID, Error: code }) => ({
    status: String(code || 200),
    jid: toOuterId(JID),
  })),
})

const describeJoined = ({ group }: groups.GroupWithResponse) => ({ accepted: true, groupJid: group.JID })
const describeLeft = (_: unknown, { groupJid }: Fields) => ({ groupJid: toGroupId(groupJid), leave: true })
const describeReset = ({ InviteLink: url }: groups.InviteReset) => ({ revoked: true, ...describeInvite(url) })
const describeUpdate = () => ({ update: 'success' })

const GROUP = 'groupjid=groupJid:group!'
const change = (call: RouteName, spec: string): Row => [call, `${GROUP} ${spec}`, describeUpdate]

export const groupRows: Rows = {
  'GET /group/fetchAllGroups': [fetchGroups],
  'GET /group/findGroupInfos': ['showGroup', GROUP, describeGroup],
  'GET /group/participants /group/findGroupMembers': ['showGroup', GROUP, describeMembers],
  'GET /group/inviteCode /group/fetchInviteCode': [findInvite, 'groupjid=groupJid!'],
  'GET /group/inviteInfo': ['showInvite', 'invitecode=inviteCode:text!', describeGroup],
  'GET /group/acceptInviteCode': ['joinGroup', 'invitecode=inviteCode:text!', describeJoined],
  'DELETE /group/leaveGroup': ['leaveGroup', GROUP, describeLeft],
  'POST /group/create': [createGroup, 'name=subject! participants! description'],
  'POST|PUT /group/updateGroupSubject /group/updateSubject': change('renameGroup', 'name=subject:text!'),
  'POST|PUT /group/updateGroupDescription /group/updateDescription': change(
    'describeGroup',
    'description:text',
  ),
  'POST|PUT /group/updateGroupPicture /group/updatePicture': change('changeGroupImage', 'image:file!'),
  'POST|PUT /group/updateParticipant /group/updateGroupMembers': [
    'changeParticipants',
    `${GROUP} action! participants:jids!`,
    describeResults,
  ],
  'POST|PUT /group/updateSetting /group/updateGroupSetting': [changeSetting, 'groupjid=groupJid! action!'],
  'POST|PUT /group/toggleEphemeral': [
    'changeGroupSettings',
    `${GROUP} ephemeral=expiration:number!`,
    () => ({ success: true }),
  ],
  'POST|PUT /group/revokeInviteCode': ['resetInviteCode', GROUP, describeReset],
  'POST 200 /group/sendInvite /group/sendGroupInvite': [sendInvite, 'groupJid! number=numbers!'],
}
