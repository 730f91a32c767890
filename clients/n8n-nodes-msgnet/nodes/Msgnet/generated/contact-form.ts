// The form of the resource Contact. Written by `npm run build:clients` from the declared routes: do not edit.

import type { INodeProperties } from 'n8n-workflow'

export const contactForm: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: ['contact'],
      },
    },
    options: [
      {
        name: 'Block',
        value: 'block',
        action: 'Block a person',
        description: 'Blocks or unblocks a person',
      },
      {
        name: 'Check Numbers',
        value: 'check',
        action: 'Check which numbers have an account',
        description: 'Checks which numbers and usernames have an account',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many contacts',
        description: 'Lists a page of contacts',
      },
    ],
    default: 'block',
  },
  {
    displayName: 'Number or Chat ID',
    name: 'number',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'e.g. 5511987654321',
    description:
      'Digits with country code (8 to 15), or an ID ending in <code>@s.msgnet.net</code> or <code>@lid</code>',
    displayOptions: {
      show: {
        resource: ['contact'],
        operation: ['block'],
      },
    },
  },
  {
    displayName: 'Block',
    name: 'block',
    type: 'boolean',
    default: true,
    description: 'Whether to block the person, or to end the block',
    displayOptions: {
      show: {
        resource: ['contact'],
        operation: ['block'],
      },
    },
  },
  {
    displayName: 'Numbers',
    name: 'numbers',
    type: 'string',
    required: true,
    default: '',
    description: 'Phone numbers or IDs, separated by commas',
    displayOptions: {
      show: {
        resource: ['contact'],
        operation: ['check'],
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
        resource: ['contact'],
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
        resource: ['contact'],
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
        displayName: 'Scope',
        name: 'contactScope',
        type: 'options',
        options: [
          {
            name: 'Address Book',
            value: 'address_book',
          },
          {
            name: 'All',
            value: 'all',
          },
        ],
        default: 'address_book',
        description: '<code>all</code> also includes people with a chat',
      },
    ],
    displayOptions: {
      show: {
        resource: ['contact'],
        operation: ['getAll'],
      },
    },
  },
]
