// The chapter on settings that the account's devices share: chats, contacts and labels.

import { limits } from '../contract/limits.ts'
import { TextResponse } from '../contract/responses/chat-responses.ts'
import * as answered from '../contract/responses/setting-responses.ts'
import * as requests from '../contract/setting-requests.ts'
import { networkFaults } from './common-faults.ts'
import { defineChapter, defineRoute, describeResponse, type Route } from './route-declaration.ts'
import * as sample from './sample-values.ts'

const idempotent = limits.retentionSeconds
const number = sample.customer
const faults = [...networkFaults, 'invalid_number' as const]
const fieldFaults = { number: 'invalid_number', phone: 'invalid_number' } as const
const setting = { method: 'POST', auth: 'instance', idempotent, faults } satisfies Partial<Route>

export const settings = defineChapter({
  title: 'Chats, contacts and labels as the phone has them',
  description:
    'All devices of an account share these settings: the phone shows what you set here, and these routes return what the phone sets. The response is 409 `session_conflict` until the phone has sent the keys to this device.',
  routes: {
    archiveChat: defineRoute({
      ...setting,
      tokenScope: 'send',
      chats: 'named',
      path: '/chat/archive',
      summary: 'Archives or unarchives a chat',
      body: {
        schema: requests.ChatArchive,
        faults: fieldFaults,
        samples: { archive: { number, archive: true } },
      },
      response: describeResponse(TextResponse, 'The network has accepted it.'),
      action: 'chat.archive',
    }),
    pinChat: defineRoute({
      ...setting,
      tokenScope: 'send',
      chats: 'named',
      path: '/chat/pin',
      summary: 'Pins or unpins a chat',
      body: { schema: requests.ChatPin, faults: fieldFaults, samples: { pin: { number, pin: true } } },
      response: describeResponse(TextResponse, 'The network has accepted it.'),
      action: 'chat.pin',
    }),
    muteChat: defineRoute({
      ...setting,
      tokenScope: 'send',
      chats: 'named',
      path: '/chat/mute',
      summary: 'Mutes a chat for a while or for ever, or unmutes it',
      body: {
        schema: requests.ChatMute,
        faults: fieldFaults,
        samples: { 'eight hours': { number, muteEndTime: 8 } },
      },
      response: describeResponse(TextResponse, 'The network has accepted it.'),
      action: 'chat.mute',
    }),
    deleteChat: defineRoute({
      ...setting,
      tokenScope: 'full',
      chats: 'named',
      path: '/chat/delete',
      effect: 'destroys',
      summary: 'Deletes a chat or its messages, here or on the devices of the account',
      description: 'It deletes on the devices first. The other side retains its messages.',
      body: {
        schema: requests.ChatDelete,
        faults: fieldFaults,
        samples: { everywhere: { number, deleteChatDB: true, deleteChatWhatsApp: true } },
      },
      response: describeResponse(answered.ChatDeleted, 'The actions that were done.'),
      action: 'chat.delete',
    }),
    showChat: defineRoute({
      method: 'POST',
      path: '/chat/details',
      summary: 'Returns one chat with its picture',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'named',
      showsTexts: 'conversation.read',
      body: {
        schema: requests.ChatDetailsRequest,
        faults: fieldFaults,
        samples: { one: { number }, 'with its picture': { number, inline: true } },
      },
      response: describeResponse(answered.ChatDetails, 'The chat.'),
      faults: [...faults, 'media_unavailable', 'quota_reached'],
      action: 'chat.details',
    }),
    listContacts: defineRoute({
      method: 'GET',
      path: '/contacts',
      summary: 'Lists the contacts of the phone',
      description: 'The list comes from the data that the phone has sent.',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'listed',
      response: describeResponse(answered.Contacts, 'The contacts, ordered by name.'),
      faults: [...networkFaults, 'quota_reached'],
    }),
    findContacts: defineRoute({
      method: 'POST',
      path: '/contacts/list',
      effect: 'reads',
      summary: 'Lists a page of contacts',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'listed',
      body: { schema: requests.ContactsRequest, optional: true, samples: { all: {}, second: { page: 2 } } },
      response: describeResponse(answered.ContactList, 'The contacts, ordered by name.'),
      faults: [...networkFaults, 'quota_reached'],
    }),
    addContact: defineRoute({
      ...setting,
      tokenScope: 'full',
      chats: 'named',
      path: '/contact/add',
      summary: 'Adds a contact to the phone, or renames it',
      body: {
        schema: requests.ContactAdd,
        faults: { ...fieldFaults, name: 'invalid_name' },
        samples: { add: { number, name: 'Bruno Alves' } },
      },
      response: describeResponse(answered.ContactAdded, 'The network has accepted it.'),
      faults: [...faults, 'invalid_name', 'not_on_network'],
      action: 'contact.add',
    }),
    removeContact: defineRoute({
      ...setting,
      tokenScope: 'full',
      chats: 'named',
      path: '/contact/remove',
      effect: 'destroys',
      summary: 'Removes a contact from the phone',
      body: { schema: requests.ContactRemove, faults: fieldFaults, samples: { remove: { number } } },
      response: describeResponse(answered.ContactRemoved, 'The network has accepted it.'),
      action: 'contact.remove',
    }),
    listLabels: defineRoute({
      method: 'GET',
      path: '/labels',
      summary: 'Lists the labels of a business account',
      description: 'The list comes from the data that the phone has sent.',
      auth: 'instance',
      tokenScope: 'read',
      chats: 'none',
      response: describeResponse(answered.Labels, 'The labels, ordered by their ids.'),
      faults: networkFaults,
    }),
    editLabel: defineRoute({
      ...setting,
      tokenScope: 'full',
      chats: 'none',
      path: '/label/edit',
      summary: 'Creates, changes or deletes a label',
      body: {
        schema: requests.LabelEdit,
        faults: { labelid: 'invalid_id', name: 'invalid_name' },
        samples: { make: { name: 'Customers', color: 3 } },
      },
      response: describeResponse(TextResponse, 'The network has accepted it.'),
      faults: [...networkFaults, 'invalid_id', 'invalid_name'],
      action: 'label.edit',
    }),
    labelChat: defineRoute({
      ...setting,
      tokenScope: 'send',
      chats: 'named',
      path: '/chat/labels',
      summary: 'Adds labels to a chat, or removes them',
      description:
        'The changes are made one after the other. If the network refuses one, those before it are done.',
      body: {
        schema: requests.ChatLabelsRequest,
        faults: {
          ...fieldFaults,
          labelids: 'invalid_id',
          add_labelid: 'invalid_id',
          remove_labelid: 'invalid_id',
        },
        samples: { 'no labels': { number, labelids: [] } },
      },
      response: describeResponse(answered.ChatLabelled, 'The changes that were made.'),
      faults: [...faults, 'invalid_id'],
      action: 'label.chat',
    }),
  },
})
