// The chapter on files.

import * as z from 'zod'
import { limits } from '../contract/limits.ts'
import { DownloadMessage, SendMedia } from '../contract/media-requests.ts'
import { Download } from '../contract/responses/media-responses.ts'
import { MessageRecord } from '../contract/responses/message-responses.ts'
import { unsupportedFields } from '../contract/unsupported-fields.ts'
import { networkFaults, sendFaults } from './common-faults.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

export const media = defineChapter({
  title: 'Media',
  description: 'Files that are sent with messages, and files of messages that came.',
  routes: {
    sendMedia: defineRoute({
      method: 'POST',
      path: '/send/media',
      summary: 'Send an image, a video, a document, a sound, a voice note or a sticker',
      description: `A URL obeys the rules of webhook destinations and may have 100 MiB; the body may have 12 MiB.`,
      auth: 'instance',
      body: {
        schema: SendMedia,
        faults: { number: 'invalid_number' },
        maxBytes: limits.maxMediaBodyBytes,
        longText: 'file',
        unsupported: unsupportedFields.sendMedia,
        samples: {
          'a picture': {
            number: sample.customer,
            type: 'image',
            text: 'Our new window',
            file: `data:image/png;base64,${pixel}`,
          },
        },
      },
      response: describeResponse(MessageRecord, 'The message as it was sent.'),
      faults: [...sendFaults, 'invalid_url', 'media_unavailable'],
      idempotent: limits.retentionSeconds,
    }),
    downloadMessage: defineRoute({
      method: 'POST',
      path: '/message/download',
      effect: 'reads',
      summary: 'Fetch the file of a stored message',
      description: `By a link that needs no header and is good for 24 hours, or as base64 up to 16 MiB. The network keeps files for some weeks; afterwards the account's phone is asked to upload the file again, which takes a while. \`error_key\` of a 502 is \`media_lost\` when the phone has lost it too, and \`phone_silent\` when the phone did not answer: ask again when it is online.`,
      auth: 'instance',
      body: {
        schema: DownloadMessage,
        faults: { id: 'invalid_id', number: 'invalid_number', text: 'invalid_message' },
        unsupported: unsupportedFields.download,
        samples: { 'its link': { id: sample.received.messageid } },
      },
      response: describeResponse(Download, 'Where the file is, or the file itself.'),
      faults: [...networkFaults, 'invalid_id', 'message_not_found', 'invalid_message', 'media_unavailable'],
    }),
    serveMedia: defineRoute({
      method: 'GET',
      path: '/media',
      summary: 'The file behind a link',
      description: 'A link is made by `/message/download`.',
      auth: 'none',
      query: z.object({ file: z.string().describe('The link says it.') }),
      response: { description: 'The file.', type: 'application/octet-stream', schema: z.string() },
      faults: [
        ...networkFaults,
        ...([
          'unauthorized',
          'invalid_query',
          'message_not_found',
          'invalid_message',
          'media_unavailable',
        ] as const),
      ],
    }),
  },
})
