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
    'The devices of an account have these settings in common: what is set here is seen on the phone, and what the phone sets is known here. 409 `session_conflict` while the phone has not given this device the keys.',
  routes: {
    archiveChat: defineRoute({
      ...setting,
      path: '/chat/archive',
      summary: 'Archive a chat, or take it back',
      body: {
        schema: requests.ChatArchive,
        faults: fieldFaults,
        samples: { archive: { number, archive: true } },
      },
      response: describeResponse(TextResponse, 'The network has it.'),
      action: 'chat.archive',
    }),
    pinChat: defineRoute({
      ...setting,
      path: '/chat/pin',
      summary: 'Pin a chat, or not',
      body: { schema: requests.ChatPin, faults: fieldFaults, samples: { pin: { number, pin: true } } },
      response: describeResponse(TextResponse, 'The network has it.'),
      action: 'chat.pin',
    }),
    muteChat: defineRoute({
      ...setting,
      path: '/chat/mute',
      summary: 'Mute a chat for a while, for ever, or not',
      body: {
        schema: requests.ChatMute,
        faults: fieldFaults,
        samples: { 'eight hours': { number, muteEndTime: 8 } },
      },
      response: describeResponse(TextResponse, 'The network has it.'),
      action: 'chat.mute',
    }),
    deleteChat: defineRoute({
      ...setting,
      path: '/chat/delete',
      effect: 'destroys',
      summary: 'Delete a chat or its messages, here or on the devices of the account',
      description: 'The devices first. The other side keeps what it has.',
      body: {
        schema: requests.ChatDelete,
        faults: fieldFaults,
        samples: { everywhere: { number, deleteChatDB: true, deleteChatWhatsApp: true } },
      },
      response: describeResponse(answered.ChatDeleted, 'What was done.'),
      action: 'chat.delete',
    }),
    showChat: defineRoute({
      method: 'POST',
      path: '/chat/details',
      summary: 'One chat, with its picture',
      auth: 'instance',
      body: {
        schema: requests.ChatDetailsRequest,
        faults: fieldFaults,
        samples: { one: { number }, 'with its picture': { number, inline: true } },
      },
      response: describeResponse(answered.ChatDetails, 'The chat.'),
      faults: [...faults, 'media_unavailable'],
      action: 'chat.details',
    }),
    listContacts: defineRoute({
      method: 'GET',
      path: '/contacts',
      summary: 'Every contact of the phone',
      description: 'From the data that the phone has sent.',
      auth: 'instance',
      response: describeResponse(answered.Contacts, 'By name.'),
      faults: networkFaults,
    }),
    findContacts: defineRoute({
      method: 'POST',
      path: '/contacts/list',
      effect: 'reads',
      summary: 'A page of contacts',
      auth: 'instance',
      body: { schema: requests.ContactsRequest, optional: true, samples: { all: {}, second: { page: 2 } } },
      response: describeResponse(answered.ContactList, 'By name.'),
      faults: networkFaults,
    }),
    addContact: defineRoute({
      ...setting,
      path: '/contact/add',
      summary: 'Add a contact to the phone, or give it another name',
      body: {
        schema: requests.ContactAdd,
        faults: { ...fieldFaults, name: 'invalid_name' },
        samples: { add: { number, name: 'Bruno Alves' } },
      },
      response: describeResponse(answered.ContactAdded, 'The network has it.'),
      faults: [...faults, 'invalid_name', 'not_on_network'],
      action: 'contact.add',
    }),
    removeContact: defineRoute({
      ...setting,
      path: '/contact/remove',
      effect: 'destroys',
      summary: 'Take a contact away from the phone',
      body: { schema: requests.ContactRemove, faults: fieldFaults, samples: { remove: { number } } },
      response: describeResponse(answered.ContactRemoved, 'The network has it.'),
      action: 'contact.remove',
    }),
    listLabels: defineRoute({
      method: 'GET',
      path: '/labels',
      summary: 'The labels of a business account',
      description: 'From the data that the phone has sent.',
      auth: 'instance',
      response: describeResponse(answered.Labels, 'By their ids.'),
      faults: networkFaults,
    }),
    editLabel: defineRoute({
      ...setting,
      path: '/label/edit',
      summary: 'Make, change or delete a label',
      body: {
        schema: requests.LabelEdit,
        faults: { labelid: 'invalid_id', name: 'invalid_name' },
        samples: { make: { name: 'Customers', color: 3 } },
      },
      response: describeResponse(TextResponse, 'The network has it.'),
      faults: [...networkFaults, 'invalid_id', 'invalid_name'],
      action: 'label.edit',
    }),
    labelChat: defineRoute({
      ...setting,
      path: '/chat/labels',
      summary: 'Put labels on a chat, or take them off',
      description: 'One after the other. When the network refuses one, those before it are done.',
      body: {
        schema: requests.ChatLabelsRequest,
        faults: {
          ...fieldFaults,
          labelids: 'invalid_id',
          add_labelid: 'invalid_id',
          remove_labelid: 'invalid_id',
        },
        samples: { 'these and no others': { number, labelids: [] } },
      },
      response: describeResponse(answered.ChatLabelled, 'What was changed.'),
      faults: [...faults, 'invalid_id'],
      action: 'label.chat',
    }),
  },
})
