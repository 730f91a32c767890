// The form of an event, of the resource Message. Written by `npm run build:clients` from the declared routes: do not edit.

import type { INodeProperties } from 'n8n-workflow'
import { sendOptions } from './send-options.ts'

export const eventForm: INodeProperties[] = [
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
        operation: ['sendEvent'],
      },
    },
  },
  {
    displayName: 'Name',
    name: 'name',
    type: 'string',
    required: true,
    default: '',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendEvent'],
      },
    },
  },
  {
    displayName: 'Start Time',
    name: 'startTime',
    type: 'number',
    required: true,
    default: 0,
    description: 'When the event begins, in milliseconds',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendEvent'],
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
        displayName: 'Address',
        name: 'address',
        type: 'string',
        default: '',
      },
      {
        displayName: 'Cancelled',
        name: 'cancelled',
        type: 'boolean',
        default: true,
        description: 'Whether phones show the event as called off',
      },
      {
        displayName: 'Description',
        name: 'description',
        type: 'string',
        typeOptions: {
          rows: 3,
        },
        default: '',
      },
      {
        displayName: 'End Time',
        name: 'endTime',
        type: 'number',
        default: 0,
        description: 'When the event ends, in milliseconds',
      },
      {
        displayName: 'Join Link',
        name: 'joinLink',
        type: 'string',
        default: '',
        description: 'The address of a call',
      },
      {
        displayName: 'Location Name',
        name: 'locationName',
        type: 'string',
        default: '',
        description: 'The place, in words',
      },
      ...sendOptions,
    ],
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendEvent'],
      },
    },
  },
]
