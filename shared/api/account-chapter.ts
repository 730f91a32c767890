// The chapter on the account itself: its profile, its privacy settings, and the people that it blocks.

import * as requests from '../contract/account-requests.ts'
import { Identities, ResolveIdentity } from '../contract/identity-requests.ts'
import { limits } from '../contract/limits.ts'
import {
  BlockList,
  InstanceChanged,
  Privacy,
  ProfileAbout,
  ProfileAboutChanged,
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
  description:
    'These routes set how the linked account shows itself, what it lets others see and do, and whom it blocks.',
  routes: {
    blockPerson: defineRoute({
      method: 'POST',
      path: '/chat/block',
      summary: 'Blocks or unblocks a person',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'named',
      body: {
        schema: requests.BlockPerson,
        faults: { number: 'invalid_number' },
        samples: { block: { number: sample.customer, block: true } },
      },
      response: describeResponse(BlockList, 'The people who are blocked now.'),
      faults: [...networkFaults, 'invalid_number', 'not_on_network'],
      idempotent,
      action: 'account.block',
    }),
    listBlocked: defineRoute({
      method: 'GET',
      path: '/chat/blocklist',
      summary: 'Lists the blocked people',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'listed',
      response: describeResponse(BlockList, 'The list, from the network.'),
      faults: networkFaults,
    }),
    renameProfile: defineRoute({
      method: 'POST',
      path: '/profile/name',
      summary: 'Changes the name that the account shows',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'none',
      audit: 'profile.name',
      body: {
        schema: requests.ProfileName,
        faults: { name: 'invalid_name' },
        samples: { rename: { name: 'The Shop' } },
      },
      response: describeResponse(ProfileNamed, 'The network has accepted it.'),
      faults: [...networkFaults, 'invalid_name'],
      idempotent,
      action: 'account.rename',
    }),
    getAbout: defineRoute({
      method: 'GET',
      path: '/profile/about',
      summary: 'Returns the about text of the account',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'none',
      response: describeResponse(ProfileAbout, 'The text, from the network.'),
      faults: networkFaults,
    }),
    changeAbout: defineRoute({
      method: 'POST',
      path: '/profile/about',
      summary: 'Changes or removes the about text of the account',
      description: 'Who sees it is `status` of `POST /instance/privacy`.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'none',
      audit: 'profile.about',
      body: { schema: requests.AboutChange, samples: { change: { about: 'Open from nine to five.' } } },
      response: describeResponse(ProfileAboutChanged, 'The network has accepted it.'),
      faults: networkFaults,
      idempotent,
      action: 'account.updateAbout',
    }),
    changeProfileImage: defineRoute({
      method: 'POST',
      path: '/profile/image',
      summary: 'Changes or removes the picture of the account',
      description: 'The picture becomes a JPEG of at most 640x640. The body may have 12 MiB.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'none',
      audit: 'profile.image',
      body: {
        schema: requests.ProfileImage,
        faults: { image: 'invalid_image' },
        maxBytes: limits.maxImageBodyBytes,
        fileFields: ['image'],
        samples: { remove: { image: 'remove' } },
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
      summary: 'Shows the account as online, or not',
      description:
        'While a linked device is online, the phone itself may show no notifications. The setting is valid for the present connection: a new one starts as not online, except while chats are subscribed (`POST /chat/subscribe`).',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'none',
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
      summary: 'Resolves ids to both forms: by phone number, and as @lid',
      description:
        'The data is what the network has sent so far. The gateway sends no request to the network, and guesses nothing. An unknown form is empty. `/chat/check` requests numbers from the network.',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'listed',
      body: {
        schema: ResolveIdentity,
        faults: { ids: 'invalid_number' },
        samples: { 'a number and an @lid': { ids: [sample.customer, '112233445566770@lid'] } },
      },
      response: describeResponse(Identities, 'One result for each, in the order of the request.'),
      faults: [...networkFaults, 'invalid_number'],
    }),
    getLimits: defineRoute({
      method: 'GET',
      path: '/instance/limits',
      summary: 'Returns what the network does not let the account do for a while',
      description:
        'The data is what the network has sent; the gateway sends no request to it. While `reachout_timelock` is active, a send to a person without a chat is refused at once with 422 `operation_refused`, `error_key` and `until`; known chats and groups still work. Changes arrive as `limits` events.',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'none',
      response: describeResponse(Limits, 'Each limit, and the recent refusals.'),
      faults: networkFaults,
    }),
    getPrivacy: defineRoute({
      method: 'GET',
      path: '/instance/privacy',
      summary: 'Returns what the account lets others see and do',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'none',
      response: describeResponse(Privacy, 'The values, from the network.'),
      faults: networkFaults,
    }),
    changePrivacy: defineRoute({
      method: 'POST',
      path: '/instance/privacy',
      summary: 'Changes what the account lets others see and do',
      description:
        'Only the fields in the body are changed, one after the other. If the network refuses one, the fields before it are changed already; `message` names the refused field.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'none',
      audit: 'privacy.change',
      body: {
        schema: requests.PrivacyChange,
        optional: true,
        samples: { 'for contacts only': { groupadd: 'contacts', last: 'none' } },
      },
      response: describeResponse(Privacy, 'The values as they are now.'),
      faults: networkFaults,
      idempotent,
      action: 'account.changePrivacy',
    }),
    renameInstance: defineRoute({
      method: 'POST',
      path: '/instance/updateInstanceName',
      summary: 'Renames the instance',
      description: 'This is the name that you use for the instance; it is not sent to the network.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'none',
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
      summary: 'Sets a delay before each send, shown as typing',
      description:
        'Each send without a `delay` of its own waits for a random time between the two values. If both are 0, sends do not wait.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'none',
      audit: 'instance.delay',
      body: {
        schema: requests.DelaySettings,
        samples: { 'up to a second': { msg_delay_min: 0, msg_delay_max: 1 } },
      },
      response: describeResponse(InstanceChanged, 'The instance.'),
      idempotent,
    }),
  },
})
