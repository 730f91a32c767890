// Requests that send and fetch files (open points, "Messages and chats").

import * as z from 'zod'
import { MessageId } from './message-action-requests.ts'
import { NetworkNumber, numberDescription, sendOptions } from './message-requests.ts'

const mediaKinds = [
  ...(['image', 'video', 'document', 'audio', 'ptt', 'sticker'] as const),
  ...(['ptv', 'myaudio', 'videoplay'] as const),
] as const
export type MediaKind = (typeof mediaKinds)[number]

/** The file types that phones show as these kinds. They are found by the file's first bytes. */
export const imageTypes: Partial<Record<MediaKind, string[]>> = {
  image: ['image/jpeg', 'image/png', 'image/webp'],
  sticker: ['image/webp'],
}

/** The kinds that a phone can show once. */
export const viewOnceKinds: MediaKind[] = ['image', 'video', 'audio', 'ptt']

export const SendMedia = z.object({
  number: NetworkNumber.describe(numberDescription),
  type: z
    .enum(mediaKinds)
    .describe(
      '`ptt` and `myaudio` are voice notes; `ptv` is a round video note; `videoplay` plays automatically, in a loop, without sound. An `image` must be a JPEG, PNG or WebP, and a `sticker` a WebP, by its first bytes; otherwise the response is 415 `unsupported_media_type`.',
    ),
  file: z
    .string()
    .min(1)
    .describe('An allowed URL of up to 100 MiB, or a data URI or base64 in a body of up to 12 MiB.'),
  text: z.string().max(65_536).default('').describe('The caption.'),
  docName: z.string().max(256).default('').describe('The name of a document.'),
  mimetype: z
    .string()
    .regex(/^([\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w.+-]+)*)?$/, 'must be a media type such as image/png')
    .max(128)
    .default('')
    .describe('Replaces the media type that the file itself has.'),
  viewOnce: z.boolean().default(false).describe('The file can be seen once only: images, videos and sounds.'),
  ...sendOptions,
})

export const DownloadMessage = z.object({
  id: MessageId,
  return_base64: z.boolean().default(false),
  return_link: z.boolean().optional().describe('The default, unless base64 is requested.'),
})
