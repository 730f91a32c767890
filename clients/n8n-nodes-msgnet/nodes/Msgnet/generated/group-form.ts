// The form of the resource Group. Written by `npm run build:clients` from the declared routes: do not edit.

import type { INodeProperties } from 'n8n-workflow'

export const groupForm: INodeProperties[] = [
  {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    displayOptions: {
      show: {
        resource: ['group'],
      },
    },
    options: [
      {
        name: 'Change Participants',
        value: 'changeParticipants',
        action: 'Change the participants of a group',
        description: 'Adds, removes, promotes, demotes, approves or rejects people',
      },
      {
        name: 'Change Settings',
        value: 'changeSettings',
        action: 'Change the settings of a group',
        description: 'Sets who joins and who adds members, and when messages disappear',
      },
      {
        name: 'Create',
        value: 'create',
        action: 'Create a group',
        description: 'Creates a group',
      },
      {
        name: 'Get',
        value: 'get',
        action: 'Get a group',
        description: 'Returns one group',
      },
      {
        name: 'Get Join Requests',
        value: 'getJoinRequests',
        action: 'Get who asks to join a group',
        description: 'Lists who asks to join a group',
      },
      {
        name: 'Get Many',
        value: 'getAll',
        action: 'Get many groups',
        description: 'Lists the groups that the account is in',
      },
      {
        name: 'Join',
        value: 'join',
        action: 'Join a group',
        description: 'Joins a group by its invitation',
      },
      {
        name: 'Leave',
        value: 'leave',
        action: 'Leave a group',
        description: 'Leaves a group',
      },
      {
        name: 'Rename',
        value: 'rename',
        action: 'Rename a group',
        description: 'Changes the name of a group',
      },
      {
        name: 'Set Description',
        value: 'setDescription',
        action: 'Set the description of a group',
        description: 'Changes or removes the description of a group',
      },
      {
        name: 'Set Who Writes',
        value: 'setWriters',
        action: 'Set who writes in a group',
        description: 'Sets who writes in a group: all, or only admins',
      },
    ],
    default: 'changeParticipants',
  },
  {
    displayName: 'Group ID',
    name: 'groupjid',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'e.g. 120363041234567890@g.us',
    description: 'An ID that ends in <code>@g.us</code>',
    displayOptions: {
      show: {
        resource: ['group'],
        operation: [
          'changeParticipants',
          'changeSettings',
          'get',
          'getJoinRequests',
          'leave',
          'rename',
          'setDescription',
          'setWriters',
        ],
      },
    },
  },
  {
    displayName: 'Change',
    name: 'action',
    type: 'options',
    required: true,
    options: [
      {
        name: 'Add',
        value: 'add',
      },
      {
        name: 'Approve',
        value: 'approve',
      },
      {
        name: 'Demote',
        value: 'demote',
      },
      {
        name: 'Promote',
        value: 'promote',
      },
      {
        name: 'Reject',
        value: 'reject',
      },
      {
        name: 'Remove',
        value: 'remove',
      },
    ],
    default: 'add',
    description: 'What happens to the people',
    displayOptions: {
      show: {
        resource: ['group'],
        operation: ['changeParticipants'],
      },
    },
  },
  {
    displayName: 'Participants',
    name: 'participants',
    type: 'string',
    required: true,
    default: '',
    description: 'Phone numbers or IDs of people, separated by commas',
    displayOptions: {
      show: {
        resource: ['group'],
        operation: ['changeParticipants', 'create'],
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
        displayName: 'Approve Members',
        name: 'joinApproval',
        type: 'boolean',
        default: true,
        description: 'Whether admins approve who joins by a link',
      },
      {
        displayName: 'Disappear After',
        name: 'ephemeral',
        type: 'number',
        default: 0,
        description:
          'After how many seconds new messages disappear: a day, 7 or 90 days; 0 means that they stay',
      },
      {
        displayName: 'Who Adds Members',
        name: 'memberAddMode',
        type: 'options',
        options: [
          {
            name: 'Admins',
            value: 'admins',
          },
          {
            name: 'All',
            value: 'all',
          },
        ],
        default: 'all',
        description: 'Who can add members',
      },
    ],
    displayOptions: {
      show: {
        resource: ['group'],
        operation: ['changeSettings'],
      },
    },
  },
  {
    displayName: 'Name',
    name: 'name',
    type: 'string',
    required: true,
    default: '',
    description: '1 to 100 characters',
    displayOptions: {
      show: {
        resource: ['group'],
        operation: ['create', 'rename'],
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
        displayName: 'Ask the Network',
        name: 'force',
        type: 'boolean',
        default: true,
        description: 'Whether to ask the network, in place of the stored data',
      },
      {
        displayName: 'Get Invite Link',
        name: 'getInviteLink',
        type: 'boolean',
        default: true,
        description: 'Whether to ask the network for the link, which only admins get',
      },
    ],
    displayOptions: {
      show: {
        resource: ['group'],
        operation: ['get'],
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
        displayName: 'Ask the Network',
        name: 'force',
        type: 'boolean',
        default: true,
        description: 'Whether to ask the network, in place of the stored data',
      },
      {
        displayName: 'Without Participants',
        name: 'noparticipants',
        type: 'boolean',
        default: true,
        description: 'Whether to leave out the participants',
      },
    ],
    displayOptions: {
      show: {
        resource: ['group'],
        operation: ['getAll'],
      },
    },
  },
  {
    displayName: 'Invitation',
    name: 'invitecode',
    type: 'string',
    required: true,
    default: '',
    description: 'The code of an invitation, or its link',
    displayOptions: {
      show: {
        resource: ['group'],
        operation: ['join'],
      },
    },
  },
  {
    displayName: 'Description',
    name: 'description',
    type: 'string',
    typeOptions: {
      rows: 3,
    },
    default: '',
    description: 'Up to 2048 characters; the empty text removes it',
    displayOptions: {
      show: {
        resource: ['group'],
        operation: ['setDescription'],
      },
    },
  },
  {
    displayName: 'Only Admins Write',
    name: 'announce',
    type: 'boolean',
    default: true,
    description: 'Whether only admins can write in the group',
    displayOptions: {
      show: {
        resource: ['group'],
        operation: ['setWriters'],
      },
    },
  },
]
