// The resources of the node. Written by `npm run build:clients` from the declared routes: do not edit.

import type { INodePropertyOptions } from 'n8n-workflow'

export const resourceOptions: INodePropertyOptions[] = [
  {
    name: 'Chat',
    value: 'chat',
  },
  {
    name: 'Contact',
    value: 'contact',
  },
  {
    name: 'Group',
    value: 'group',
  },
  {
    name: 'Instance',
    value: 'instance',
  },
  {
    name: 'Message',
    value: 'message',
  },
  {
    name: 'Scheduled Message',
    value: 'scheduled',
  },
]
