// The form of the resource Chat. Written by `npm run build:clients` from the declared routes: do not edit.

import type { INodeProperties } from 'n8n-workflow'

export const chatForm: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: ['chat'],
      },
    },
    options: [
      {
        name: 'Archive',
        value: 'archive',
        action: 'Archive a chat',
        description: 'Archives or unarchives a chat',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many chats',
        description: 'Lists chats, newest first',
      },
      {
        name: 'Mark as Read',
        value: 'markRead',
        action: 'Mark a chat as read',
        description: 'Marks the unread messages of a chat as read',
      },
      {
        name: 'Set Disappearing Messages',
        value: 'setTimer',
        action: 'Set when messages of a chat disappear',
        description: 'Sets after how long new messages of a chat disappear',
      },
      {
        name: 'Show Typing',
        value: 'showTyping',
        action: 'Show typing in a chat',
        description: 'Shows typing or recording in a chat',
      },
    ],
    default: 'archive',
  },
  {
    displayName: 'Number or Chat ID',
    name: 'number',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'e.g. 5511987654321',
    description:
      'Digits with country code (8 to 15), or an ID ending in <code>@s.msgnet.net</code>, <code>@g.us</code> or <code>@lid</code>. Characters that people write around digits are dropped.',
    displayOptions: {
      show: {
        resource: ['chat'],
        operation: ['archive', 'markRead', 'setTimer', 'showTyping'],
      },
    },
  },
  {
    displayName: 'Archive',
    name: 'archive',
    type: 'boolean',
    default: true,
    description: 'Whether to archive the chat, or take it out of the archive',
    displayOptions: {
      show: {
        resource: ['chat'],
        operation: ['archive'],
      },
    },
  },
  {
    displayName: 'Return All',
    name: 'returnAll',
    type: 'boolean',
    default: false,
    description: 'Whether to return all results or only up to a given limit',
    displayOptions: {
      show: {
        resource: ['chat'],
        operation: ['getAll'],
      },
    },
  },
  {
    displayName: 'Limit',
    name: 'limit',
    type: 'number',
    typeOptions: {
      minValue: 1,
    },
    default: 50,
    description: 'Max number of results to return',
    displayOptions: {
      show: {
        resource: ['chat'],
        operation: ['getAll'],
      },
    },
  },
  {
    displayName: 'Filters',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Filter',
    default: {},
    options: [
      {
        displayName: 'Archived',
        name: 'wa_archived',
        type: 'boolean',
        default: true,
        description: 'Whether to return only archived chats, or only others',
      },
      {
        displayName: 'Chat ID',
        name: 'wa_chatid',
        type: 'string',
        default: '',
        description: 'The whole value; with <code>~</code> in front, a part of it',
      },
      {
        displayName: 'Groups',
        name: 'wa_isGroup',
        type: 'boolean',
        default: true,
        description: 'Whether to return only groups, or only chats with one person',
      },
      {
        displayName: 'Groups Administered',
        name: 'wa_isGroup_admin',
        type: 'boolean',
        default: true,
        description: 'Whether to return only groups that the account administers, or only others',
      },
      {
        displayName: 'Groups Joined',
        name: 'wa_isGroup_member',
        type: 'boolean',
        default: true,
        description: 'Whether to return only groups that the account is in, or only others',
      },
      {
        displayName: 'Label',
        name: 'wa_label',
        type: 'string',
        default: '',
        description:
          'The ID or the name of a label of the chat; with <code>~</code> in front, a part of the name',
      },
      {
        displayName: 'Name',
        name: 'wa_name',
        type: 'string',
        default: '',
        description: 'The whole value; with <code>~</code> in front, a part of it',
      },
      {
        displayName: 'Search',
        name: 'search',
        type: 'string',
        default: '',
        description:
          'Words of the name, a username, or a number in any form; accents and case do not count. Texts of messages are not searched. Applies beside the other filters, whatever <code>operator</code> says.',
      },
      {
        displayName: 'Sort',
        name: 'sort',
        type: 'string',
        default: '',
      },
      {
        displayName: 'Unread',
        name: 'unread',
        type: 'boolean',
        default: true,
        description: 'Whether to return only chats with unread messages',
      },
    ],
    displayOptions: {
      show: {
        resource: ['chat'],
        operation: ['getAll'],
      },
    },
  },
  {
    displayName: 'Disappear After',
    name: 'seconds',
    type: 'number',
    required: true,
    default: 0,
    description: 'After how many seconds new messages disappear: a day, 7 or 90 days; 0 means that they stay',
    displayOptions: {
      show: {
        resource: ['chat'],
        operation: ['setTimer'],
      },
    },
  },
  {
    displayName: 'Presence',
    name: 'presence',
    type: 'options',
    required: true,
    options: [
      {
        name: 'Paused',
        value: 'paused',
      },
      {
        name: 'Recording',
        value: 'recording',
      },
      {
        name: 'Typing',
        value: 'composing',
      },
    ],
    default: 'composing',
    displayOptions: {
      show: {
        resource: ['chat'],
        operation: ['showTyping'],
      },
    },
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'Delay',
        name: 'delay',
        type: 'number',
        default: 0,
        description:
          'Milliseconds after which <code>paused</code> is shown; until then the state is shown again and again. A message to the chat ends it sooner. Without it, or with 0, the state is shown once.',
      },
    ],
    displayOptions: {
      show: {
        resource: ['chat'],
        operation: ['showTyping'],
      },
    },
  },
]
