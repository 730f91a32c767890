// The chapter on groups.

import * as z from 'zod'
import { GroupChanged, GroupList, GroupRecord, ParticipantsResult } from '../../contract/answers/group.ts'
import * as asked from '../../contract/group.ts'
import { limits } from '../../contract/version.ts'
import { answers, type Chapter } from '../operation.ts'
import * as sample from '../samples.ts'

const groupjid = sample.groupJid
const replays = limits.replaySeconds
const flag = z.enum(['true', 'false', '1', '0']).optional()

const changed = { response: 'Group name updated', needs_refresh: true }

export const groups: Chapter = {
  title: 'Groups',
  says: 'What is known of groups comes from a store that the events of the network keep fresh; `force` asks the network, and is metered.',
  operations: {
    'GET /group/list': {
      id: 'listGroups',
      summary: 'Every group that the account is in',
      who: 'instance',
      query: z.object({
        force: flag.describe('`true` asks the network in place of what is known.'),
        noparticipants: flag.describe('`true` leaves out who is in them.'),
      }),
      answers: answers(GroupList, 'The groups.', { groups: [sample.group] }),
      faults: [...sample.grouping, 'invalid_query'],
    },
    'POST /group/info': {
      id: 'showGroup',
      summary: 'One group',
      who: 'instance',
      body: { schema: asked.GroupInfo, examples: { 'what is known': { groupjid } } },
      answers: answers(GroupRecord, 'The group.', sample.group),
      faults: sample.grouping,
    },
    'POST /group/create': {
      id: 'createGroup',
      summary: 'Found a group',
      says: 'Who cannot be added does not stop it: his entry in `Participants` has an `Error`.',
      who: 'instance',
      body: {
        schema: asked.GroupCreate,
        examples: { 'two of us': { name: 'Regulars', participants: [sample.customer] } },
      },
      answers: answers(GroupRecord, 'The new group.', sample.group),
      faults: [...sample.grouping, 'invalid_name', 'invalid_participants'],
      replays,
    },
    'POST /group/updateParticipants': {
      id: 'changeParticipants',
      summary: 'Add, remove, promote, demote, approve or reject people',
      says: 'Each is answered for himself: `Error` 0 is done, else it is the code of the network.',
      who: 'instance',
      body: {
        schema: asked.GroupParticipantsChange,
        examples: { add: { groupjid, action: 'add', participants: [sample.customer] } },
      },
      answers: answers(ParticipantsResult, 'What became of each.', {
        groupUpdated: [{ JID: `${sample.customer}@s.msgnet.net`, Error: 0 }],
        ...{ group: sample.group, needs_refresh: false },
      }),
      faults: [...sample.grouping, 'invalid_participants', 'invalid_action'],
      replays,
    },
    'POST /group/updateName': {
      id: 'renameGroup',
      summary: 'Change the name of a group',
      who: 'instance',
      body: { schema: asked.GroupNameChange, examples: { rename: { groupjid, name: 'Regulars' } } },
      answers: answers(GroupChanged, 'The network has done it.', changed),
      faults: [...sample.grouping, 'invalid_name'],
      replays,
    },
    'POST /group/updateImage': {
      id: 'changeGroupImage',
      summary: 'Change or remove the picture of a group',
      says: 'Becomes a JPEG of at most 640x640, of an animation the first frame, with nothing said about where it was taken. The body may have 12 MiB.',
      who: 'instance',
      body: { schema: asked.GroupImageChange, examples: { 'take it away': { groupjid, image: 'remove' } } },
      answers: answers(GroupChanged, 'The network has done it.', {
        ...changed,
        ...{ response: 'Group image updated', pictureId: '1789635720' },
      }),
      faults: [
        ...sample.grouping,
        ...(['invalid_image', 'invalid_url', 'media_unavailable'] as const),
        ...(['image_too_large', 'not_an_image', 'quota_reached'] as const),
      ],
      replays,
    },
  },
}
