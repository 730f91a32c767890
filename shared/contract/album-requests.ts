// The request that sends several pictures and videos as one album.

import * as z from 'zod'
import { limits } from './limits.ts'
import { captionFields, captionRule } from './media-requests.ts'
import { mentionRule, NetworkNumber, numberDescription, sendOptions } from './message-requests.ts'
import { FileText } from './text-fields.ts'

const { async: _async, sendAt: _sendAt, ...options } = sendOptions

const AlbumFile = z
  .object({
    type: z.enum(['image', 'video']),
    file: FileText.describe('As in `/send/media`.'),
    ...captionFields,
  })
  .meta({ allOf: [captionRule] })

export const SendAlbum = z
  .object({
    number: NetworkNumber.describe(numberDescription),
    files: z.array(AlbumFile).min(2).max(limits.maxAlbumFiles).describe('In the order of the album.'),
    ...options,
  })
  .meta(mentionRule)
