// The chapter on groups.

import * as z from 'zod'
import * as requests from '../contract/group-requests.ts'
import { limits } from '../contract/limits.ts'
import { TextResponse } from '../contract/responses/chat-responses.ts'
import {
  GroupChanged,
  GroupList,
  GroupRecord,
  ParticipantsResult,
} from '../contract/responses/group-responses.ts'
import { groupFaults, networkFaults } from './common-faults.ts'
import { defineChapter, defineRoute, describeFixedResponse, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'

const groupjid = sample.groupJid
const idempotent = limits.retentionSeconds
const flag = z.enum(['true', 'false', '1', '0']).optional()

const fieldFaults = {
  groupjid: 'invalid_group',
  name: 'invalid_name',
  participants: 'invalid_participants',
  action: 'invalid_action',
  image: 'invalid_image',
} as const

export const groups = defineChapter({
  title: 'Groups',
  description:
    'Group data comes from a store that the events of the network update. `force` requests it from the network, and is metered.',
  routes: {
    listGroups: defineRoute({
      method: 'GET',
      path: '/group/list',
      summary: 'Lists the groups that the account is in',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'listed',
      query: z.object({
        force: flag.describe('`true` requests the data from the network instead of using stored data.'),
        noparticipants: flag.describe('`true` leaves out the participants.'),
      }),
      response: describeResponse(GroupList, 'The groups.'),
      faults: [...networkFaults, 'invalid_query', 'quota_reached'],
    }),
    showGroup: defineRoute({
      method: 'POST',
      path: '/group/info',
      summary: 'Returns one group',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'named',
      body: { schema: requests.GroupInfo, faults: fieldFaults, samples: { 'stored details': { groupjid } } },
      response: describeResponse(GroupRecord, 'The group.'),
      faults: groupFaults,
      action: 'group.info',
    }),
    createGroup: defineRoute({
      method: 'POST',
      path: '/group/create',
      summary: 'Creates a group',
      description:
        'If a person cannot be added, the group is still created: the entry of that person in `Participants` has an `Error`.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'groups',
      body: {
        schema: requests.GroupCreate,
        faults: fieldFaults,
        samples: { 'one other member': { name: 'Regulars', participants: [sample.customer] } },
      },
      response: describeResponse(GroupRecord, 'The new group.'),
      faults: [...networkFaults, 'invalid_name', 'invalid_participants'],
      idempotent,
      action: 'group.create',
    }),
    changeParticipants: defineRoute({
      method: 'POST',
      path: '/group/updateParticipants',
      summary: 'Adds, removes, promotes, demotes, approves or rejects people',
      description:
        'Each person has a result: `Error` 0 means done, any other value is the code of the network.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'named',
      body: {
        schema: requests.GroupParticipantsChange,
        faults: fieldFaults,
        samples: { add: { groupjid, action: 'add', participants: [sample.customer] } },
      },
      response: describeResponse(ParticipantsResult, 'The result for each person.'),
      faults: [...groupFaults, 'invalid_participants', 'invalid_action'],
      idempotent,
      action: 'group.updateParticipants',
    }),
    renameGroup: defineRoute({
      method: 'POST',
      path: '/group/updateName',
      summary: 'Changes the name of a group',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'named',
      body: {
        schema: requests.GroupNameChange,
        faults: fieldFaults,
        samples: { rename: { groupjid, name: 'Regulars' } },
      },
      response: describeFixedResponse(GroupChanged, 'The network has done it.', {
        response: 'Group name updated',
        needs_refresh: true,
      }),
      faults: [...groupFaults, 'invalid_name'],
      idempotent,
      action: 'group.updateName',
    }),
    changeGroupImage: defineRoute({
      method: 'POST',
      path: '/group/updateImage',
      summary: 'Changes or removes the picture of a group',
      description:
        'The picture becomes a JPEG of at most 640x640; of an animation it is the first frame. Data about where it was taken is removed. The body may have 12 MiB.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'named',
      body: {
        schema: requests.GroupImageChange,
        faults: fieldFaults,
        maxBytes: limits.maxImageBodyBytes,
        fileFields: ['image'],
        samples: { remove: { groupjid, image: 'remove' } },
      },
      response: describeResponse(GroupChanged, 'The network has done it.'),
      faults: [
        ...groupFaults,
        ...(['invalid_image', 'invalid_url', 'media_unavailable'] as const),
        ...(['image_too_large', 'not_an_image', 'quota_reached'] as const),
      ],
      idempotent,
    }),
    leaveGroup: defineRoute({
      method: 'POST',
      path: '/group/leave',
      effect: 'destroys',
      summary: 'Leaves a group',
      description: 'When the last participant leaves, the group ends.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'named',
      body: {
        schema: requests.GroupOnly,
        faults: fieldFaults,
        samples: { leave: { groupjid } },
      },
      response: describeFixedResponse(TextResponse, 'The network has done it.', { response: 'Group left' }),
      faults: groupFaults,
      idempotent,
      action: 'group.leave',
    }),
  },
})
