// The form of a text, of the resource Message. Written by `npm run build:clients` from the declared routes: do not edit.

import type { INodeProperties } from 'n8n-workflow'
import { sendOptions } from './send-options.ts'

export const textForm: INodeProperties[] = [
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
        operation: ['sendText'],
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
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendText'],
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
        displayName: 'Link Preview',
        name: 'linkPreview',
        type: 'boolean',
        default: true,
        description: 'Whether to show a preview of the first link of the text',
      },
      {
        displayName: 'Preview Description',
        name: 'linkPreviewDescription',
        type: 'string',
        default: '',
      },
      {
        displayName: 'Preview Picture',
        name: 'linkPreviewImage',
        type: 'string',
        default: '',
        placeholder: 'e.g. https://shop.example/lamp.jpg',
        description: 'The picture of the preview, as a URL or base64',
      },
      {
        displayName: 'Preview Title',
        name: 'linkPreviewTitle',
        type: 'string',
        default: '',
        description: 'The title of the preview, in place of that of the page',
      },
      ...sendOptions,
    ],
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendText'],
      },
    },
  },
]
