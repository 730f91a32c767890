// Requests for one-time link pages: the page on which the person with the phone links it.

import * as z from 'zod'

const MIN_LINK_SECONDS = 60
const MAX_LINK_SECONDS = 86_400
const DEFAULT_LINK_SECONDS = 3600

export const LinkLanguage = z.enum(['en', 'pt-BR', 'es'])
export type LinkLanguage = z.infer<typeof LinkLanguage>

export const LinkPurpose = z.enum(['device', 'webhooks'])
export type LinkPurpose = z.infer<typeof LinkPurpose>

export const LinkRequest = z.object({
  purpose: LinkPurpose.default('device').describe(
    '`device`: a page on which the phone is linked. `webhooks`: a page with the webhooks of the instance.',
  ),
  expiresIn: z
    .int()
    .min(MIN_LINK_SECONDS)
    .max(MAX_LINK_SECONDS)
    .default(DEFAULT_LINK_SECONDS)
    .describe('Seconds from now until the link ends. One for a device ends earlier, when a phone is linked.'),
  language: LinkLanguage.optional().describe(
    'The language of the page; without it the page follows the browser.',
  ),
})
