// The chapter on the account itself: its profile, its privacy settings, and the people that it blocks.

import * as requests from '../contract/account-requests.ts'
import { Identities, ResolveIdentity } from '../contract/identity-requests.ts'
import { limits } from '../contract/limits.ts'
import {
  BlockList,
  InstanceChanged,
  Privacy,
  ProfileNamed,
  ProfilePictured,
} from '../contract/responses/account-responses.ts'
import { TextResponse } from '../contract/responses/chat-responses.ts'
import { Instance } from '../contract/responses/instance-responses.ts'
import { Limits } from '../contract/responses/limit-responses.ts'
import { networkFaults } from './common-faults.ts'
import { defineChapter, defineRoute, describeFixedResponse, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'

const idempotent = limits.retentionSeconds

export const account = defineChapter({
  title: 'Account',
  description: 'How the linked account shows itself, what it lets others see and do, and whom it blocks.',
  routes: {
    blockPerson: defineRoute({
      method: 'POST',
      path: '/chat/block',
      summary: 'Block somebody, or let him in again',
      auth: 'instance',
      body: {
        schema: requests.BlockPerson,
        faults: { number: 'invalid_number' },
        samples: { block: { number: sample.customer, block: true } },
      },
      response: describeResponse(BlockList, 'Who is blocked now.'),
      faults: [...networkFaults, 'invalid_number', 'not_on_network'],
      idempotent,
      action: 'account.block',
    }),
    listBlocked: defineRoute({
      method: 'GET',
      path: '/chat/blocklist',
      summary: 'Who is blocked',
      auth: 'instance',
      response: describeResponse(BlockList, 'From the network.'),
      faults: networkFaults,
    }),
    renameProfile: defineRoute({
      method: 'POST',
      path: '/profile/name',
      summary: 'Change the name that the account shows',
      auth: 'instance',
      audit: 'profile.name',
      body: {
        schema: requests.ProfileName,
        faults: { name: 'invalid_name' },
        samples: { rename: { name: 'The Shop' } },
      },
      response: describeResponse(ProfileNamed, 'The network has it.'),
      faults: [...networkFaults, 'invalid_name'],
      idempotent,
      action: 'account.rename',
    }),
    changeProfileImage: defineRoute({
      method: 'POST',
      path: '/profile/image',
      summary: 'Change or remove the picture of the account',
      description: 'Becomes a JPEG of at most 640x640. The body may have 12 MiB.',
      auth: 'instance',
      audit: 'profile.image',
      body: {
        schema: requests.ProfileImage,
        faults: { image: 'invalid_image' },
        maxBytes: limits.maxImageBodyBytes,
        longText: 'image',
        samples: { 'take it away': { image: 'remove' } },
      },
      response: describeResponse(ProfilePictured, 'The network has done it.'),
      faults: [
        ...networkFaults,
        ...(['invalid_image', 'invalid_url', 'media_unavailable'] as const),
        ...(['image_too_large', 'not_an_image', 'quota_reached'] as const),
      ],
      idempotent,
    }),
    showOwnPresence: defineRoute({
      method: 'POST',
      path: '/instance/presence',
      summary: 'Show the account as online, or not',
      description:
        'While a linked device is online the phone itself may ring for nothing. It goes for the present connection: a new one begins as not online.',
      auth: 'instance',
      body: { schema: requests.OwnPresence, samples: { 'not online': { presence: 'unavailable' } } },
      response: describeFixedResponse(TextResponse, 'The network has read it.', {
        response: 'Presence updated',
      }),
      faults: networkFaults,
      action: 'account.presence',
    }),
    resolveIdentities: defineRoute({
      method: 'POST',
      path: '/v1/identity/resolve',
      effect: 'reads',
      summary: 'Both forms of ids: by phone number, and as @lid',
      description:
        'From what the network has told so far; it is not asked, and nothing is guessed. What is not known is empty. `/chat/check` asks for numbers.',
      auth: 'instance',
      body: {
        schema: ResolveIdentity,
        faults: { ids: 'invalid_number' },
        samples: { 'a number and an @lid': { ids: [sample.customer, '112233445566770@lid'] } },
      },
      response: describeResponse(Identities, 'One for each, in the order that was asked.'),
      faults: [...networkFaults, 'invalid_number'],
    }),
    getLimits: defineRoute({
      method: 'GET',
      path: '/instance/limits',
      summary: 'What the network lets the account do no longer, for a while',
      description:
        'From what the network has said; it is not asked. While `reachout_timelock` runs, a send to somebody without a chat is 422 `operation_refused` at once, with `error_key` and `until`; known chats and groups go on. Changes come as `limits` events.',
      auth: 'instance',
      response: describeResponse(Limits, 'Each limit, and what was refused lately.'),
      faults: networkFaults,
    }),
    getPrivacy: defineRoute({
      method: 'GET',
      path: '/instance/privacy',
      summary: 'What the account lets others see and do',
      auth: 'instance',
      response: describeResponse(Privacy, 'From the network.'),
      faults: networkFaults,
    }),
    changePrivacy: defineRoute({
      method: 'POST',
      path: '/instance/privacy',
      summary: 'Change what the account lets others see and do',
      description:
        'Only the fields that are there are changed, one after the other. When the network refuses one, those before it are changed: `message` names it.',
      auth: 'instance',
      audit: 'privacy.change',
      body: {
        schema: requests.PrivacyChange,
        optional: true,
        samples: { 'for contacts only': { groupadd: 'contacts', last: 'none' } },
      },
      response: describeResponse(Privacy, 'As it is now.'),
      faults: networkFaults,
      idempotent,
      action: 'account.changePrivacy',
    }),
    renameInstance: defineRoute({
      method: 'POST',
      path: '/instance/updateInstanceName',
      summary: 'Give the instance another name',
      description: 'The name that you use for it; it is not sent to the network.',
      auth: 'instance',
      audit: 'instance.rename',
      body: {
        schema: requests.InstanceName,
        faults: { name: 'invalid_name' },
        samples: { rename: { name: 'Shop' } },
      },
      response: describeResponse(Instance, 'The instance.'),
      faults: ['invalid_name'],
      idempotent,
    }),
    changeDelay: defineRoute({
      method: 'POST',
      path: '/instance/updateDelaySettings',
      summary: 'Let what is sent wait for a while, shown as typing',
      description:
        'Whatever the instance sends without a `delay` of its own waits at random between the two. Both 0 ends it.',
      auth: 'instance',
      audit: 'instance.delay',
      body: {
        schema: requests.DelaySettings,
        samples: { 'a little': { msg_delay_min: 0, msg_delay_max: 1 } },
      },
      response: describeResponse(InstanceChanged, 'The instance.'),
      idempotent,
    }),
  },
})
