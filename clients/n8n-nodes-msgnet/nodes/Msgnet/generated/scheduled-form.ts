// The form of the resource Scheduled Message. Written by `npm run build:clients` from the declared routes: do not edit.

import type { INodeProperties } from 'n8n-workflow'

export const scheduledForm: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: ['scheduled'],
      },
    },
    options: [
      {
        name: 'Cancel',
        value: 'cancel',
        action: 'Cancel a scheduled message',
        description: 'Cancels a message that waits for its time',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many scheduled messages',
        description: 'Lists the messages that wait for their time',
      },
    ],
    default: 'cancel',
  },
  {
    displayName: 'Message ID',
    name: 'id',
    type: 'string',
    required: true,
    default: '',
    displayOptions: {
      show: {
        resource: ['scheduled'],
        operation: ['cancel'],
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
        resource: ['scheduled'],
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
        resource: ['scheduled'],
        operation: ['getAll'],
      },
    },
  },
]
