// The form of what is sent, of the resource Message. Written by `npm run build:clients` from the declared routes: do not edit.

import type { INodeProperties } from 'n8n-workflow'
import { sendOptions } from './send-options.ts'

export const sendingForm: INodeProperties[] = [
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
        operation: ['sendContact', 'sendLocation', 'sendMedia', 'sendMenu'],
      },
    },
  },
  {
    displayName: 'Full Name',
    name: 'fullName',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'e.g. Nathan Smith',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendContact'],
      },
    },
  },
  {
    displayName: 'Phone Number',
    name: 'phoneNumber',
    type: 'string',
    required: true,
    default: '',
    placeholder: 'e.g. 5511987654321',
    description: '8 to 15 digits with country code; separate several with commas',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendContact'],
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
        displayName: 'Email',
        name: 'email',
        type: 'string',
        default: '',
        placeholder: 'name@email.com',
        description: 'The email address on the card',
      },
      {
        displayName: 'Organization',
        name: 'organization',
        type: 'string',
        default: '',
      },
      {
        displayName: 'URL',
        name: 'url',
        type: 'string',
        default: '',
        description: 'The web page on the card',
      },
      ...sendOptions,
    ],
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendContact'],
      },
    },
  },
  {
    displayName: 'Latitude',
    name: 'latitude',
    type: 'number',
    required: true,
    default: 0,
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendLocation'],
      },
    },
  },
  {
    displayName: 'Longitude',
    name: 'longitude',
    type: 'number',
    required: true,
    default: 0,
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendLocation'],
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
        displayName: 'Name',
        name: 'name',
        type: 'string',
        default: '',
      },
      ...sendOptions,
    ],
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendLocation'],
      },
    },
  },
  {
    displayName: 'Type',
    name: 'type',
    type: 'options',
    required: true,
    options: [
      {
        name: 'Audio',
        value: 'audio',
      },
      {
        name: 'Document',
        value: 'document',
      },
      {
        name: 'Image',
        value: 'image',
      },
      {
        name: 'Looping Video',
        value: 'videoplay',
      },
      {
        name: 'Round Video Note',
        value: 'ptv',
      },
      {
        name: 'Sticker',
        value: 'sticker',
      },
      {
        name: 'Video',
        value: 'video',
      },
      {
        name: 'Voice Note',
        value: 'ptt',
      },
      {
        name: 'Voice Note (Myaudio)',
        value: 'myaudio',
      },
    ],
    default: 'image',
    description:
      '<code>ptt</code> and <code>myaudio</code> are voice notes: mono Opus in Ogg is sent as it is, and MP3, AAC, WAV, FLAC, Vorbis and other Opus, of up to an hour, are converted to it. <code>ptv</code> is a round video note; <code>videoplay</code> plays automatically, in a loop, without sound. The first bytes of the file decide: an <code>image</code> must be a JPEG, PNG or WebP, a <code>sticker</code> a PNG, JPEG, GIF or WebP, which becomes a WebP of 512×512, a video an MP4, and <code>audio</code> a sound; otherwise the response is 415 <code>unsupported_media_type</code>.',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendMedia'],
      },
    },
  },
  {
    displayName: 'Caption',
    name: 'text',
    type: 'string',
    default: '',
    description: 'The words below the file',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendMedia'],
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
        displayName: 'File Name',
        name: 'docName',
        type: 'string',
        default: '',
        description: 'The name of a document',
      },
      {
        displayName: 'MIME Type',
        name: 'mimetype',
        type: 'string',
        default: '',
        description: 'Replaces the media type that the file itself has',
      },
      {
        displayName: 'View Once',
        name: 'viewOnce',
        type: 'boolean',
        default: true,
        description: 'Whether the file can be seen only once',
      },
      ...sendOptions,
    ],
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendMedia'],
      },
    },
  },
  {
    displayName: 'Type',
    name: 'type',
    type: 'options',
    required: true,
    options: [
      {
        name: 'Buttons',
        value: 'button',
      },
      {
        name: 'Carousel',
        value: 'carousel',
      },
      {
        name: 'List',
        value: 'list',
      },
      {
        name: 'Poll',
        value: 'poll',
      },
    ],
    default: 'poll',
    description:
      '<code>button</code>, <code>list</code> and <code>carousel</code> need <code>INTERACTIVE=on</code> on the server: <code>capabilities.interactive</code>',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendMenu'],
      },
    },
  },
  {
    displayName: 'Question',
    name: 'text',
    type: 'string',
    required: true,
    typeOptions: {
      rows: 2,
    },
    default: '',
    description: 'The question; of a poll 255 characters at most',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendMenu'],
      },
    },
  },
  {
    displayName: 'Choices',
    name: 'choices',
    type: 'string',
    required: true,
    typeOptions: {
      rows: 4,
    },
    default: '',
    description:
      'One in each line. Of a poll 2 to 12. Of buttons <code>text|ID</code>, of a list <code>text|ID|description</code> under titles in square brackets. Of a carousel each card is its text in square brackets, its picture in curly brackets if it has one, and its buttons.',
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendMenu'],
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
        displayName: 'Footer',
        name: 'footerText',
        type: 'string',
        default: '',
        description:
          'Words below buttons and lists. Polls have none: of a poll they are taken without effect.',
      },
      {
        displayName: 'List Button',
        name: 'listButton',
        type: 'string',
        default: '',
        description: 'The words on the button that opens a list',
      },
      {
        displayName: 'Picture',
        name: 'imageButton',
        type: 'string',
        default: '',
        placeholder: 'e.g. https://shop.example/lamp.jpg',
        description: 'Of buttons: the picture above them, as a URL or base64',
      },
      {
        displayName: 'Selectable Choices',
        name: 'selectableCount',
        type: 'number',
        default: 1,
        description: 'Of a poll: how many choices one person may select; 0 for all',
      },
      ...sendOptions,
    ],
    displayOptions: {
      show: {
        resource: ['message'],
        operation: ['sendMenu'],
      },
    },
  },
]
