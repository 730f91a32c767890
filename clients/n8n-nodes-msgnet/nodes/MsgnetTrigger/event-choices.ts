// The events and the filters that the trigger offers. Written by `npm run build:clients` from the declared routes: do not edit.

import type { INodePropertyOptions } from 'n8n-workflow'

export const eventChoices: INodePropertyOptions[] = [
  {
    name: 'Call',
    value: 'call',
  },
  {
    name: 'Connection',
    value: 'connection',
  },
  {
    name: 'Group Changed',
    value: 'groups',
  },
  {
    name: 'History',
    value: 'history',
  },
  {
    name: 'Limit Changed',
    value: 'limits',
  },
  {
    name: 'Message',
    value: 'messages',
  },
  {
    name: 'Message Edited',
    value: 'messages_edit',
  },
  {
    name: 'Message Not Decrypted',
    value: 'undecryptable',
  },
  {
    name: 'Message Updated',
    value: 'messages_update',
  },
  {
    name: 'Presence',
    value: 'presence',
  },
  {
    name: 'Status_posts',
    value: 'status_posts',
  },
]

export const filterChoices: INodePropertyOptions[] = [
  {
    name: 'From Others',
    value: 'fromMeNo',
  },
  {
    name: 'From the Account',
    value: 'fromMeYes',
  },
  {
    name: 'In Chats With One Person',
    value: 'isGroupNo',
  },
  {
    name: 'In Groups',
    value: 'isGroupYes',
  },
  {
    name: 'Not Sent by the API',
    value: 'wasNotSentByApi',
  },
  {
    name: 'Sent by the API',
    value: 'wasSentByApi',
  },
]
