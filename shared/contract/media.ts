// Files that callers send and fetch (open points, "Messages and chats").

import * as z from 'zod'
import { NetworkNumber, numberInWords, sendOptions } from './message.ts'
import { MessageId } from './message-actions.ts'

export const SendMedia = z.object({
  number: NetworkNumber.describe(numberInWords),
  type: z.enum(['image', 'video', 'document', 'audio', 'ptt', 'sticker']).describe('`ptt` is a voice note.'),
  file: z
    .string()
    .min(1)
    .describe('An allowed URL of up to 100 MiB, or a data URI or base64 in a body of up to 12 MiB.'),
  text: z.string().max(65_536).default('').describe('The caption.'),
  docName: z.string().max(256).default('').describe('What a document is called.'),
  mimetype: z
    .string()
    .regex(/^([\w.+-]+\/[\w.+-]+(; ?[\w-]+=[\w.+-]+)*)?$/, 'must be a media type such as image/png')
    .max(128)
    .default('')
    .describe('In place of what the file says of itself.'),
  ...sendOptions,
})

export const DownloadMessage = z.object({
  id: MessageId,
  return_base64: z.boolean().default(false),
  return_link: z.boolean().optional().describe('Preset unless base64 is asked for.'),
})
