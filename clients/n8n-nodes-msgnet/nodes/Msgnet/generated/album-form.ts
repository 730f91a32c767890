// The form of an album, of the resource Message. Written by `npm run build:clients` from the declared routes: do not edit.

import type { INodeProperties } from 'n8n-workflow'

export const albumForm: INodeProperties[] = [
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
        operation: ['sendAlbum'],
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
        description: 'Milliseconds to wait before sending; the other side sees typing',
      },
      {
        displayName: 'Idempotency Key',
        name: 'idempotencyKey',
        type: 'string',
        default: '',
        placeholder: 'e.g. order-7',
        description:
          'A name for this message: within a day no second message is sent with the same one. Without it the key belongs to this execution, so that a retry of the node sends nothing twice.',
      },
      {
        displayName: 'Mark Chat as Read',
        name: 'readchat',
        type: 'boolean',
        default: true,
        description: 'Whether to mark the chat as read before sending',
      },
      {
        displayName: 'Mentions',
        name: 'mentions',
        type: 'string',
        default: '',
        description:
          'The people who are mentioned in the text, separated by commas. <code>all</code> stands for all members of a group.',
      },
      {
        displayName: 'Reply to Message ID',
        name: 'replyid',
        type: 'string',
        default: '',
        description: 'The message ID of the message that this one replies to',
      },
      {
        displayName: 'Show as Forwarded',
        name: 'forward',
        type: 'boolean',
        default: true,
        description: 'Whether phones show the message as forwarded',
      },
      {
        displayName: 'Tracking ID',
        name: 'track_id',
        type: 'string',
        default: '',
        description: 'An ID that you choose; the record and its events contain it',
      },
      {
        displayName: 'Tracking Source',
        name: 'track_source',
        type: 'string',
        default: '',
        description: 'The source of <code>track_id</code>; you choose the words',
      },
    ],
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendAlbum'],
      },
    },
  },
]
