// What may be added to whatever is sent. Written by `npm run build:clients` from the declared routes: do not edit.

import type { INodeProperties } from 'n8n-workflow'

export const sendOptions: INodeProperties[] = [
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
    displayName: 'Respond at Once',
    name: 'async',
    type: 'boolean',
    default: true,
    description: 'Whether to continue at once with the status Pending. The outcome arrives as an event.',
  },
  {
    displayName: 'Send At',
    name: 'sendAt',
    type: 'dateTime',
    default: '',
    description:
      'When the message is sent, from now to 30 days ahead. The response comes at once, with <code>status</code> <code>Scheduled</code> and <code>scheduledFor</code>; the outcome arrives as <code>messages_update</code> of <code>type</code> <code>SendReceipt</code>.',
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
]
