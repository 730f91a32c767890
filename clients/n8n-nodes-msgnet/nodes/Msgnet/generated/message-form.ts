// The form of the resource Message. Written by `npm run build:clients` from the declared routes: do not edit.

import type { INodeProperties } from 'n8n-workflow'

export const messageForm: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: ['message'],
      },
    },
    options: [
      {
        name: 'Delete',
        value: 'delete',
        action: 'Delete a message',
        description: 'Deletes a message of the account for everyone',
      },
      {
        name: 'Download Media',
        value: 'download',
        action: 'Download the file of a message',
        description: 'Returns the file of a stored message',
      },
      {
        name: 'Edit',
        value: 'edit',
        action: 'Edit a message',
        description: 'Edits a text or caption of the account',
      },
      {
        name: 'Forward',
        value: 'forward',
        action: 'Forward a message',
        description: 'Forwards a stored message',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many messages',
        description: 'Finds stored messages',
      },
      {
        name: 'Mark as Read',
        value: 'markRead',
        action: 'Mark messages as read',
        description: 'Marks messages as read by their IDs',
      },
      {
        name: 'Pin',
        value: 'pin',
        action: 'Pin a message',
        description: 'Pins a message in its chat for everyone, or unpins it',
      },
      {
        name: 'React',
        value: 'react',
        action: 'React to a message',
        description: 'Reacts to a message, or removes the reaction',
      },
      {
        name: 'Send Album',
        value: 'sendAlbum',
        action: 'Send an album',
        description: 'Sends pictures and videos as one album',
      },
      {
        name: 'Send Contact',
        value: 'sendContact',
        action: 'Send a contact card',
        description: 'Sends a contact card',
      },
      {
        name: 'Send Event',
        value: 'sendEvent',
        action: 'Send an event',
        description: 'Sends an event',
      },
      {
        name: 'Send Location',
        value: 'sendLocation',
        action: 'Send a location',
        description: 'Sends a location',
      },
      {
        name: 'Send Media',
        value: 'sendMedia',
        action: 'Send a file',
        description: 'Sends an image, a video, a document, a sound, a voice note or a sticker',
      },
      {
        name: 'Send Poll or Menu',
        value: 'sendMenu',
        action: 'Send a poll or a menu',
        description: 'Sends a poll, or a menu of buttons, a list or a carousel',
      },
      {
        name: 'Send Text',
        value: 'sendText',
        action: 'Send a text',
        description: 'Sends a text',
      },
      {
        name: 'Star',
        value: 'star',
        action: 'Star a message',
        description: 'Stars a message for the account, or removes the star',
      },
    ],
    default: 'delete',
  },
  {
    displayName: 'Message ID',
    name: 'id',
    type: 'string',
    required: true,
    default: '',
    description: 'A message ID, with or without its <code>owner:</code> prefix',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['delete', 'download', 'edit', 'forward', 'pin', 'react', 'star'],
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
        displayName: 'Convert to MP3',
        name: 'generate_mp3',
        type: 'boolean',
        default: true,
        description: 'Whether a sound comes as MP3',
      },
    ],
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['download'],
      },
    },
  },
  {
    displayName: 'Text',
    name: 'text',
    type: 'string',
    required: true,
    typeOptions: {
      rows: 4,
    },
    default: '',
    description: 'The new text, or the new caption of a file',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['edit'],
      },
    },
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
        resource: ['message'],
        operation: ['forward'],
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
        resource: ['message'],
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
        resource: ['message'],
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
        displayName: 'From Me',
        name: 'fromMe',
        type: 'boolean',
        default: true,
        description: 'Whether to return only messages of the account, or only those of others',
      },
      {
        displayName: 'Message ID',
        name: 'id',
        type: 'string',
        default: '',
        description: 'A message ID, with or without its <code>owner:</code> prefix',
      },
      {
        displayName: 'Message Type',
        name: 'messageType',
        type: 'string',
        default: '',
        description: 'As in the record; upper and lower case count as the same',
      },
      {
        displayName: 'Number or Chat ID',
        name: 'chatid',
        type: 'string',
        default: '',
        placeholder: 'e.g. 5511987654321',
        description:
          'As <code>number</code>, or <code>status@broadcast</code>, whose posts of others are listed and found only so',
      },
      {
        displayName: 'Search',
        name: 'search',
        type: 'string',
        default: '',
        description:
          'Words that are all in the text, the caption or the file name; accents and case do not count. Only with <code>chatid</code>, <code>fromMe</code>, <code>sort</code> and pages.',
      },
      {
        displayName: 'Sort',
        name: 'sort',
        type: 'options',
        options: [
          {
            name: 'Newest First',
            value: '-messageTimestamp',
          },
          {
            name: 'Oldest First',
            value: 'messageTimestamp',
          },
        ],
        default: '-messageTimestamp',
        description: 'Newest first, unless it is <code>messageTimestamp</code>: oldest first',
      },
      {
        displayName: 'Tracking ID',
        name: 'track_id',
        type: 'string',
        default: '',
      },
      {
        displayName: 'Tracking Source',
        name: 'track_source',
        type: 'string',
        default: '',
      },
    ],
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['getAll'],
      },
    },
  },
  {
    displayName: 'Message IDs',
    name: 'id',
    type: 'string',
    required: true,
    default: '',
    description: 'The IDs of received messages, separated by commas',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['markRead'],
      },
    },
  },
  {
    displayName: 'Pin',
    name: 'pin',
    type: 'boolean',
    default: true,
    description: 'Whether to pin the message, or to unpin it',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['pin'],
      },
    },
  },
  {
    displayName: 'Days',
    name: 'days',
    type: 'number',
    default: 7,
    description: 'How long it stays pinned',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['pin'],
      },
    },
  },
  {
    displayName: 'Number or Chat ID',
    name: 'number',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'e.g. 5511987654321',
    description: 'The chat of the message',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['react'],
      },
    },
  },
  {
    displayName: 'Emoji',
    name: 'text',
    type: 'string',
    default: '',
    description: 'Leave it empty to remove the reaction',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['react'],
      },
    },
  },
  {
    displayName: 'Star',
    name: 'star',
    type: 'boolean',
    default: true,
    description: 'Whether to star the message, or to remove the star',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['star'],
      },
    },
  },
]
