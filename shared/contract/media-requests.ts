// Requests that send and fetch files (open points, "Messages and chats").

import * as z from 'zod'
import { applyIf, matchValues } from './field-rules.ts'
import { limits } from './limits.ts'
import { MessageId } from './message-action-requests.ts'
import { mentionRule, NetworkNumber, numberDescription, sendOptions } from './message-requests.ts'
import { FileText, limitText } from './text-fields.ts'

const mediaKinds = [
  ...(['image', 'video', 'document', 'audio', 'ptt', 'sticker'] as const),
  ...(['ptv', 'myaudio', 'videoplay'] as const),
] as const
export type MediaKind = (typeof mediaKinds)[number]

/** The file types that phones show as these kinds. They are found by the file's first bytes. */
export const imageTypes: Partial<Record<MediaKind, string[]>> = {
  image: ['image/jpeg', 'image/png', 'image/webp'],
  sticker: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
}

/** The kinds that a phone can show once. */
export const viewOnceKinds: MediaKind[] = ['image', 'video', 'audio', 'ptt']

/** Two names of one field. */
export const captionFields = {
  text: limitText(limits.maxTextLength).default('').describe('The caption.'),
  caption: limitText(limits.maxTextLength).default('').describe('The same as `text`.'),
}
/** The same words in both are taken too. */
export const captionRule = applyIf(
  { required: ['caption'], properties: { caption: { type: 'string', minLength: 1 } } },
  { properties: { text: { enum: ['', null] } } },
)

export const SendMedia = z
  .object({
    number: NetworkNumber.describe(numberDescription),
    type: z
      .enum(mediaKinds)
      .describe(
        '`ptt` and `myaudio` are voice notes: mono Opus in Ogg is sent as it is, and MP3, AAC, WAV, FLAC, Vorbis and other Opus, of up to an hour, are converted to it. `ptv` is a round video note; `videoplay` plays automatically, in a loop, without sound. The first bytes of the file decide: an `image` must be a JPEG, PNG or WebP, a `sticker` a PNG, JPEG, GIF or WebP, which becomes a WebP of 512×512, a video an MP4, and `audio` a sound; otherwise the response is 415 `unsupported_media_type`.',
      ),
    file: FileText.describe(
      'An allowed URL of up to 100 MiB, or a data URI or base64 in a body of up to 12 MiB.',
    ),
    ...captionFields,
    docName: limitText(256).default('').describe('The name of a document.'),
    mimetype: z
      .string()
      .regex(/^([\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w.+-]+)*)?$/, 'must be a media type such as image/png')
      .max(128)
      .default('')
      .describe('Replaces the media type that the file itself has.'),
    viewOnce: z
      .boolean()
      .default(false)
      .describe('The file can be seen once only: images, videos and sounds.'),
    ...sendOptions,
  })
  .meta({
    ...mentionRule,
    allOf: [
      applyIf(matchValues('viewOnce', [true]), { properties: { type: { enum: viewOnceKinds } } }),
      captionRule,
    ],
  })

export const DownloadMessage = z.object({
  id: MessageId,
  return_base64: z.boolean().default(false),
  generate_mp3: z
    .boolean()
    .default(false)
    .describe(
      'A sound comes as MP3, `audio/mpeg`; of some ten minutes at most. It has no effect on other files.',
    ),
  return_link: z.boolean().optional().describe('The default, unless base64 is requested.'),
})
