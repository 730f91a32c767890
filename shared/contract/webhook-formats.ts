// The forms of the API beside the contract, and those in which a webhook can get its events.

import * as z from 'zod'

/** In the order in which they are listed. `DIALECTS` chooses which of them are served. */
export const dialectNames = ['uazapi', 'evolution', 'cloud'] as const
export type DialectName = (typeof dialectNames)[number]

/** The names in a setting, with commas between them. */
export const listWords = (setting: string): string[] =>
  setting
    .split(',')
    .map((word) => word.trim())
    .filter(Boolean)

export const findUnknownDialect = (names: readonly string[]): string | undefined =>
  names.find((name) => !(dialectNames as readonly string[]).includes(name))

export const describeUnknownDialect = (names: readonly string[]): string =>
  `must be some of ${dialectNames.join(', ')}, separated by commas, and not "${findUnknownDialect(names)}"`

const webhookFormats = ['contract', ...dialectNames] as const
export type WebhookFormat = (typeof webhookFormats)[number]

/** As it is stored: empty for the form that the root of the gateway has. */
export type StoredFormat = WebhookFormat | ''

export const Format = z.enum(webhookFormats)
