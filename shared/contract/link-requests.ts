// Requests for one-time link pages: the page on which the person with the phone links it.

import * as z from 'zod'

const MIN_LINK_SECONDS = 60
const MAX_LINK_SECONDS = 86_400
const DEFAULT_LINK_SECONDS = 3600

export const LinkLanguage = z.enum(['en', 'pt-BR', 'es'])
export type LinkLanguage = z.infer<typeof LinkLanguage>

export const LinkRequest = z.object({
  expiresIn: z
    .int()
    .min(MIN_LINK_SECONDS)
    .max(MAX_LINK_SECONDS)
    .default(DEFAULT_LINK_SECONDS)
    .describe('Seconds from now until the link ends, if no phone is linked before.'),
  language: LinkLanguage.optional().describe(
    'The language of the page; without it the page follows the browser.',
  ),
})
