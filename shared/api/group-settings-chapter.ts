// The chapter on invitations to groups and on settings of groups.

import * as requests from '../contract/group-requests.ts'
import { limits } from '../contract/limits.ts'
import {
  GroupRecord,
  GroupWithResponse,
  InviteReset,
  JoinRequests,
} from '../contract/responses/group-responses.ts'
import { groupFaults } from './common-faults.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'

const groupjid = sample.groupJid
const idempotent = limits.retentionSeconds
const invitation = { code: { invitecode: sample.inviteCode }, link: { invitecode: sample.inviteLink } }
const buildGroupSample = (response: string, group: object = {}) => ({
  response,
  group: { ...sample.group, ...group },
  needs_refresh: false,
})

const fieldFaults = { groupjid: 'invalid_group' } as const

export const groupSettings = defineChapter({
  title: 'Invitations and settings of groups',
  description: 'These routes use the invitation to a group, and change what its admins decide about it.',
  routes: {
    joinGroup: defineRoute({
      method: 'POST',
      path: '/group/join',
      summary: 'Joins a group by its invitation',
      description:
        'If admins decide who joins, the account has requested to join, and `needs_refresh` is true. A code that no group has is 404 `group_not_found`. The response is 422 with `provider_code` 409 if the account is in the group already, and with `provider_code` 419 if the group is full.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'groups',
      body: { schema: requests.GroupInvite, samples: invitation },
      response: describeResponse(GroupWithResponse, 'The group.'),
      faults: groupFaults,
      idempotent,
      action: 'group.join',
    }),
    showInvite: defineRoute({
      method: 'POST',
      path: '/group/inviteInfo',
      summary: 'Returns the group of an invitation',
      description: 'The response is an outline: it has no participants while the account is not one of them.',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'groups',
      body: { schema: requests.GroupInvite, samples: invitation },
      response: describeResponse(GroupRecord, 'The group.'),
      faults: groupFaults,
      action: 'group.inviteInfo',
    }),
    resetInviteCode: defineRoute({
      method: 'POST',
      path: '/group/resetInviteCode',
      effect: 'destroys',
      summary: 'Revokes the invitation to a group, and creates a new one',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'named',
      body: { schema: requests.GroupOnly, faults: fieldFaults, samples: { reset: { groupjid } } },
      response: describeResponse(InviteReset, 'The new invitation.'),
      faults: groupFaults,
      idempotent,
      action: 'group.resetInviteCode',
    }),
    describeGroup: defineRoute({
      method: 'POST',
      path: '/group/updateDescription',
      summary: 'Changes or removes the description of a group',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'named',
      body: {
        schema: requests.GroupDescriptionChange,
        faults: fieldFaults,
        samples: { describe: { groupjid, description: 'Wednesdays at nine.' } },
      },
      response: describeResponse(
        ...([GroupWithResponse, 'The network has done it.'] as const),
        buildGroupSample('Group description updated', { Topic: 'Wednesdays at nine.' }),
      ),
      faults: groupFaults,
      idempotent,
      action: 'group.updateDescription',
    }),
    announceGroup: defineRoute({
      method: 'POST',
      path: '/group/updateAnnounce',
      summary: 'Sets who writes in a group: all, or only admins',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'named',
      body: {
        schema: requests.GroupAnnounceChange,
        faults: fieldFaults,
        samples: { 'only admins': { groupjid, announce: true } },
      },
      response: describeResponse(
        ...([GroupWithResponse, 'The network has done it.'] as const),
        buildGroupSample('Group setting updated', { IsAnnounce: true }),
      ),
      faults: groupFaults,
      idempotent,
      action: 'group.updateAnnounce',
    }),
    lockGroup: defineRoute({
      method: 'POST',
      path: '/group/updateLocked',
      summary: 'Sets who changes name, picture and description of a group: all, or only admins',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'named',
      body: {
        schema: requests.GroupLockedChange,
        faults: fieldFaults,
        samples: { 'only admins': { groupjid, locked: true } },
      },
      response: describeResponse(
        ...([GroupWithResponse, 'The network has done it.'] as const),
        buildGroupSample('Group setting updated', { IsLocked: true }),
      ),
      faults: groupFaults,
      idempotent,
      action: 'group.updateLocked',
    }),
    changeGroupSettings: defineRoute({
      method: 'POST',
      path: '/group/updateSettings',
      summary: 'Sets who joins and who adds members, and when messages disappear',
      description:
        'The network takes one setting at a time: `joinApproval`, `memberAddMode`, then `ephemeral`. What it refuses ends the request, and its message says what was set before.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'named',
      body: {
        schema: requests.GroupSettingsChange,
        faults: fieldFaults,
        samples: { 'messages of a week': { groupjid, ephemeral: 604_800 } },
      },
      response: describeResponse(
        ...([GroupWithResponse, 'The network has done it.'] as const),
        buildGroupSample('Group settings updated', { IsEphemeral: true, DisappearingTimer: 604_800 }),
      ),
      faults: groupFaults,
      idempotent,
      action: 'group.updateSettings',
    }),
    listJoinRequests: defineRoute({
      method: 'POST',
      path: '/group/requests',
      summary: 'Lists who asks to join a group',
      description: 'Admins only. `POST /group/updateParticipants` approves and rejects them.',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'named',
      body: { schema: requests.GroupOnly, faults: fieldFaults, samples: { 'who asks': { groupjid } } },
      response: describeResponse(JoinRequests, 'Who asks, in the order of the network.'),
      faults: groupFaults,
      action: 'group.requests',
    }),
  },
})
