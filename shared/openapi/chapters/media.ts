// The chapter on files.

import * as z from 'zod'
import { Download } from '../../contract/answers/media.ts'
import { MessageRecord } from '../../contract/answers/message.ts'
import { DownloadMessage, SendMedia } from '../../contract/media.ts'
import { unhonoured } from '../../contract/unhonoured.ts'
import { limits } from '../../contract/version.ts'
import { answers, type Chapter, refusing } from '../operation.ts'
import * as sample from '../samples.ts'

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

export const media: Chapter = {
  title: 'Media',
  says: 'Files that are sent with messages, and files of messages that came.',
  operations: {
    'POST /send/media': {
      id: 'sendMedia',
      summary: 'Send an image, a video, a document, a sound, a voice note or a sticker',
      says: `A URL obeys the rules of webhook destinations and may have 100 MiB; the body may have 12 MiB. ${refusing(unhonoured.sendMedia)}`,
      who: 'instance',
      body: {
        schema: SendMedia,
        examples: {
          'a picture': {
            ...{ number: sample.customer, type: 'image', text: 'Our new window' },
            file: `data:image/png;base64,${pixel}`,
          },
        },
      },
      answers: answers(MessageRecord, 'The message as it was sent.', {
        ...sample.sent,
        ...{ messageType: 'imageMessage', type: 'media', mediaType: 'image', text: 'Our new window' },
        content: { mimetype: 'image/png', fileLength: 70, width: 1, height: 1 },
      }),
      faults: [...sample.sending, 'invalid_url', 'media_unavailable'],
      replays: limits.replaySeconds,
    },
    'POST /message/download': {
      id: 'downloadMessage',
      summary: 'Fetch the file of a stored message',
      says: `By a link that needs no header and is good for 24 hours, or as base64 up to 16 MiB. The network keeps files for some weeks. ${refusing(unhonoured.download)}`,
      who: 'instance',
      body: {
        schema: DownloadMessage,
        examples: { 'its link': { id: sample.received.messageid } },
      },
      answers: answers(Download, 'Where the file is, or the file itself.', {
        mimetype: 'image/jpeg',
        fileURL: 'https://gateway.example.com/media?file=AWs…',
      }),
      faults: [...sample.asking, 'invalid_id', 'message_not_found', 'invalid_message', 'media_unavailable'],
    },
    'GET /media': {
      id: 'serveMedia',
      summary: 'The file behind a link',
      says: 'A link is made by `/message/download`.',
      who: 'anybody',
      query: z.object({ file: z.string().describe('The link says it.') }),
      answers: [{ status: 200, says: 'The file.', type: 'application/octet-stream', schema: z.string() }],
      faults: [
        ...sample.asking,
        ...([
          'unauthorized',
          'invalid_query',
          'message_not_found',
          'invalid_message',
          'media_unavailable',
        ] as const),
      ],
    },
  },
}
