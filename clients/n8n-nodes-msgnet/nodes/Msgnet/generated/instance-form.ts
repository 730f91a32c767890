// The form of the resource Instance. Written by `npm run build:clients` from the declared routes: do not edit.

import type { INodeProperties } from 'n8n-workflow'

export const instanceForm: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: ['instance'],
      },
    },
    options: [
      {
        name: 'Connect',
        value: 'connect',
        action: 'Connect the instance',
        description: 'Opens the session, or starts to link a device',
      },
      {
        name: 'Get About',
        value: 'getAbout',
        action: 'Get the about text of the account',
        description: 'Returns the about text of the account',
      },
      {
        name: 'Get Limits',
        value: 'getLimits',
        action: 'Get the limits of the account',
        description: 'Returns what the network does not let the account do for a while',
      },
      {
        name: 'Get Status',
        value: 'getStatus',
        action: 'Get the status of the instance',
        description: 'Returns the state of the session and the health of its webhook',
      },
      {
        name: 'Restart',
        value: 'restart',
        action: 'Restart the session of the instance',
        description: 'Reopens the session with the same credential',
      },
      {
        name: 'Set About',
        value: 'setAbout',
        action: 'Set the about text of the account',
        description: 'Changes or removes the about text of the account',
      },
    ],
    default: 'connect',
  },
  {
    displayName: 'Additional Fields',
    name: 'additionalFields',
    type: 'collection',
    placeholder: 'Add Field',
    default: {},
    options: [
      {
        displayName: 'History',
        name: 'history',
        type: 'options',
        options: [
          {
            name: 'Full',
            value: 'full',
          },
          {
            name: 'None',
            value: 'none',
          },
          {
            name: 'Recent',
            value: 'recent',
          },
        ],
        default: 'none',
        description:
          'How much of its past the phone is asked for when the device is linked: <code>recent</code> is what it sends by itself, <code>full</code> all that it has. Without it, none, unless a device is being linked at the moment. It holds until the device is unlinked.',
      },
      {
        displayName: 'Phone Number',
        name: 'phone',
        type: 'string',
        default: '',
        placeholder: 'e.g. 5511987654321',
        description:
          'The number to link, 8 to 15 digits with country code. It requests a pairing code; without it the response has a QR code.',
      },
    ],
    displayOptions: {
      show: {
        resource: ['instance'],
        operation: ['connect'],
      },
    },
  },
  {
    displayName: 'About',
    name: 'about',
    type: 'string',
    typeOptions: {
      rows: 3,
    },
    default: '',
    description: 'Up to 139 characters; the empty text removes it',
    displayOptions: {
      show: {
        resource: ['instance'],
        operation: ['setAbout'],
      },
    },
  },
]
