// The chapter on files.

import * as z from 'zod'
import { SendAlbum } from '../contract/album-requests.ts'
import { limits } from '../contract/limits.ts'
import { DownloadMessage, SendMedia } from '../contract/media-requests.ts'
import { Download } from '../contract/responses/media-responses.ts'
import { AlbumSent, MessageRecord } from '../contract/responses/message-responses.ts'
import { unsupportedFields } from '../contract/unsupported-fields.ts'
import { networkFaults, sendFaults } from './common-faults.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'

/** A WAV file of a fortieth of a second. */
const beep =
  'UklGRoQAAABXQVZFZm10IBAAAAABAAEAoA8AAKAPAAABAAgAZGF0YWAAAAAGBgYG+vr6+gYGBgb6+vr6BgYGBvr6+voGBgYG+vr6+gYGBgb6+vr6BgYGBvr6+voGBgYG+vr6+gYGBgb6+vr6BgYGBvr6+voGBgYG+vr6+gYGBgb6+vr6BgYGBvr6+vo='

const fetchRules =
  'Up to three redirects are followed, each judged as the URL itself; `content-encoding` of `gzip`, `deflate`, `br` or `zstd` is decoded, and the limit is on the decoded file. Another encoding, an empty file, and what cannot be fetched, are 502 `media_unavailable`.'

export const media = defineChapter({
  title: 'Media',
  description: 'These routes send files with messages, and return the files of received messages.',
  routes: {
    sendMedia: defineRoute({
      method: 'POST',
      path: '/send/media',
      summary: 'Sends an image, a video, a document, a sound, a voice note or a sticker',
      description: `A URL must follow the rules of webhook destinations, and its file may have up to 100 MiB. The body may have up to 12 MiB. ${fetchRules} A document without \`docName\` is called what \`name=\` of the data URI, \`content-disposition\`, or the last part of the path says, else \`file\` with the ending of its type. Its type is \`mimetype\`, else what the data URI or the server says (\`application/octet-stream\` says nothing), else what its first bytes or its ending show.`,
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: SendMedia,
        faults: { number: 'invalid_number' },
        maxBytes: limits.maxMediaBodyBytes,
        fileFields: ['file'],
        unsupported: unsupportedFields.sendMedia,
        samples: {
          'a picture': {
            number: sample.customer,
            type: 'image',
            text: 'Our new window',
            file: sample.pixel,
          },
          'a voice note': { number: sample.customer, type: 'ptt', file: `data:audio/wav;base64,${beep}` },
          'a sticker': { number: sample.customer, type: 'sticker', file: sample.pixel },
        },
      },
      response: describeResponse(MessageRecord, 'The message, as it was sent.'),
      faults: [...sendFaults, 'invalid_url', 'media_unavailable'],
      idempotent: limits.retentionSeconds,
    }),
    sendAlbum: defineRoute({
      method: 'POST',
      path: '/send/album',
      summary: 'Sends pictures and videos as one album',
      description: `2 to ${limits.maxAlbumFiles} files by the rules of \`/send/media\`, in a body of up to 12 MiB. All are on the network before the album is sent; a file that is refused before is an error, and nothing was sent. Then one is sent after another, up to the first that fails: a 200 says of each what became of it.`,
      auth: 'instance',
      tokenScope: 'send',
      chats: 'named',
      body: {
        schema: SendAlbum,
        faults: { number: 'invalid_number' },
        maxBytes: limits.maxMediaBodyBytes,
        fileFields: ['file'],
        unsupported: unsupportedFields.sendAlbum,
        samples: {
          'two pictures': {
            number: sample.customer,
            files: [
              { type: 'image', file: sample.pixel, text: 'Our new window' },
              { type: 'image', file: sample.pixel },
            ],
          },
        },
      },
      response: describeResponse(AlbumSent, 'The album, and the messages of its files.'),
      faults: [...sendFaults, 'invalid_url', 'media_unavailable'],
      idempotent: limits.retentionSeconds,
    }),
    downloadMessage: defineRoute({
      method: 'POST',
      path: '/message/download',
      effect: 'reads',
      summary: 'Returns the file of a stored message',
      description: `The response has a link that needs no header and is valid for 24 hours, or base64 up to 16 MiB. The network stores files for some weeks. After that, the gateway requests a new upload from the account's phone, which takes a while. \`error_key\` of a 502 is \`media_lost\` if the phone does not have the file any more either, and \`phone_silent\` if the phone did not respond: retry when it is online.`,
      auth: 'instance',
      tokenScope: 'read',
      chats: 'named',
      showsTexts: 'conversation.read',
      body: {
        schema: DownloadMessage,
        faults: { id: 'invalid_id', number: 'invalid_number', text: 'invalid_message' },
        unsupported: unsupportedFields.download,
        samples: { 'its link': { id: sample.received.messageid } },
      },
      response: describeResponse(Download, 'The link to the file, or the file itself.'),
      faults: [...networkFaults, 'invalid_id', 'message_not_found', 'invalid_message', 'media_unavailable'],
    }),
    serveMedia: defineRoute({
      method: 'GET',
      path: '/media',
      summary: 'Returns the file behind a link',
      description:
        '`/message/download` creates the link, and `fileURL` of a record is one. With the header `token` of the instance the link is valid as long as the file is stored; without it, for a day.',
      auth: 'none',
      query: z.object({
        file: z.string().describe('The link contains it: its seal for a day.'),
        id: z.string().optional().describe('The message of the file, for a request with the header `token`.'),
      }),
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
