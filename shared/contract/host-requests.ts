// Requests that register a session host and set its slots.

import * as z from 'zod'

export const slotRange = { min: 1, max: 100_000, preset: 200 }

const Slots = z
  .int()
  .min(slotRange.min)
  .max(slotRange.max)
  .describe('The maximum number of sessions of the host. The host itself can only set a lower one.')

/** How many sessions a host may take from now on. */
export const HostSlots = z.object({ slots: Slots })

export const HostRequest = z.object({
  region: z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/, 'must be 1 to 64 visible ASCII characters')
    .describe('Where the host runs; you choose the word.'),
  slots: Slots.default(slotRange.preset),
})
