// Requests for status posts, which are shown to the contacts that may see the account's status.

import * as z from 'zod'
import { applyIf, matchValues } from './field-rules.ts'
import { limits } from './limits.ts'
import { sendOptions } from './message-requests.ts'
import { limitText, OptionalFileText } from './text-fields.ts'

/** The colours of the API family by number: yellow, green, blue, lilac, magenta, pink, brown, grey. */
// biome-ignore format: a list of short entries
const COLORS = [
  '#f5c400', '#e5a900', '#c68d00', '#27ae60', '#1e8449', '#145a32', '#3498db', '#2471a3', '#1a5276',
  '#a569bd', '#7d3c98', '#5b2c6f', '#c2185b', '#f06292', '#ec407a', '#a1887f', '#95a5a6', '#707b7c',
  '#4d5656',
]

const COLOR_EXPECTED = `must be a number from 1 to ${COLORS.length} or a color as #rrggbb`
const Color = z
  .union(
    [z.int().min(1).max(COLORS.length), z.string().regex(/^(#[\dA-Fa-f]{6}|0?[1-9]|1\d)$/, COLOR_EXPECTED)],
    {
      error: COLOR_EXPECTED,
    },
  )
  .transform((given, context) => {
    if (String(given).startsWith('#')) return String(given).toLowerCase()
    const color = COLORS[Number(given) - 1]
    if (color) return color
    context.addIssue(COLOR_EXPECTED)
    return z.NEVER
  })

export const statusFields = {
  type: z.enum(['text', 'image', 'video', 'audio']).describe('`audio` is shown as a voice note.'),
  text: limitText(limits.maxTextLength)
    .default('')
    .describe('The text, or the caption of an image or a video.'),
  background_color: Color.optional().describe(
    `For a text or a voice note: 1 to ${COLORS.length}, or \`#rrggbb\`. The default is grey.`,
  ),
  font: z.int().min(0).max(10).default(0).describe("For a text: the number of one of the phone's fonts."),
  async: sendOptions.async,
  track_id: sendOptions.track_id,
  track_source: sendOptions.track_source,
  sendAt: sendOptions.sendAt,
}

export const DEFAULT_COLOR = '#4d5656'

export const SendStatus = z
  .object({
    ...statusFields,
    file: OptionalFileText.default('').describe(
      'An allowed URL of up to 100 MiB, or a data URI or base64 in a body of up to 12 MiB.',
    ),
  })
  .refine(({ type, text }) => type !== 'text' || text !== '', {
    path: ['text'],
    message: 'must not be empty for type text',
  })
  .refine(({ type, file }) => (type === 'text') === (file === ''), {
    path: ['file'],
    message: 'must be given for an image, a video or a sound, and for nothing else',
  })
  .meta(
    applyIf(
      matchValues('type', ['text']),
      {
        required: ['text'],
        properties: { text: { type: 'string', minLength: 1 }, file: { enum: ['', null] } },
      },
      { required: ['file'], properties: { file: { type: 'string', minLength: 1 } } },
    ),
  )
