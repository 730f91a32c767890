// Texts of requests with a limit in characters, as readers of the document count them: an emoji is one, though it has two units or more.

import * as z from 'zod'

export const isWithin = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max)

/** At most `max` characters. */
export const limitText = (max: number, text: z.ZodString = z.string()): z.ZodString =>
  text.refine((value) => isWithin(value, max), `must have at most ${max} characters`).meta({ maxLength: max })

/** 1 to `max` characters beside the blanks around them, which are removed. */
export const limitTrimmedText = (max: number): z.ZodString =>
  limitText(max, z.string().trim().min(1)).meta({ pattern: '\\S' })

/** Its address, a data URI, or base64. */
export const FILE = 'https?://\\S+|(data:[^,]*;base64,)?[A-Za-z0-9+/\\s]+={0,2}\\s*'
const examples = ['AAAA', 'data:image/png;base64,AAAA', 'https://files.example.com/picture.png']

/** It may be long, so it is only described here: the edge decodes it, and checks where the address leads. */
export const FileText = z
  .string()
  .min(1)
  .meta({ pattern: `^(${FILE})$`, examples })

export const OptionalFileText = z.string().meta({ pattern: `^(${FILE})?$`, examples })

export const PictureText = z
  .string()
  .min(1)
  .meta({
    pattern: `^(remove|delete|${FILE})$`,
    description:
      'A data URI, base64 or an allowed URL of a JPEG, PNG or GIF of up to 8 MiB; `remove` or `delete` removes the picture.',
    examples: ['remove', ...examples],
  })
