// The chapter on invitations to groups and on settings of groups.

import * as requests from '../contract/group-requests.ts'
import { limits } from '../contract/limits.ts'
import { GroupRecord, GroupWithResponse, InviteReset } from '../contract/responses/group-responses.ts'
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
  description: 'Coming into a group by its invitation, and what its admins decide about it.',
  routes: {
    joinGroup: defineRoute({
      method: 'POST',
      path: '/group/join',
      summary: 'Join a group by its invitation',
      description:
        'Where admins decide who comes in, the account has asked to be let in, and `needs_refresh` is true. A code that no group has is 404 `group_not_found`; 422 with `provider_code` 409 when the account is in it already, 419 when the group is full.',
      auth: 'instance',
      body: { schema: requests.GroupInvite, samples: invitation },
      response: describeResponse(GroupWithResponse, 'The group.'),
      faults: groupFaults,
      idempotent,
      action: 'group.join',
    }),
    showInvite: defineRoute({
      method: 'POST',
      path: '/group/inviteInfo',
      summary: 'The group behind an invitation',
      description: 'Its outline: without the people in it, as long as the account is not one of them.',
      auth: 'instance',
      body: { schema: requests.GroupInvite, samples: invitation },
      response: describeResponse(GroupRecord, 'The group.'),
      faults: groupFaults,
      action: 'group.inviteInfo',
    }),
    resetInviteCode: defineRoute({
      method: 'POST',
      path: '/group/resetInviteCode',
      effect: 'destroys',
      summary: 'Take back the invitation to a group, and make a new one',
      auth: 'instance',
      body: { schema: requests.GroupOnly, faults: fieldFaults, samples: { reset: { groupjid } } },
      response: describeResponse(InviteReset, 'The new invitation.'),
      faults: groupFaults,
      idempotent,
      action: 'group.resetInviteCode',
    }),
    describeGroup: defineRoute({
      method: 'POST',
      path: '/group/updateDescription',
      summary: 'Change or take away the description of a group',
      auth: 'instance',
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
      summary: 'Who writes in a group: all, or only admins',
      auth: 'instance',
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
      summary: 'Who changes name, picture and description of a group: all, or only admins',
      auth: 'instance',
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
  },
})
