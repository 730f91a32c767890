// Requests that register a session host and set its slots.

import * as z from 'zod'

export const slotRange = { min: 1, max: 100_000, preset: 200 }

const Slots = z
  .int()
  .min(slotRange.min)
  .max(slotRange.max)
  .describe('The most sessions that it may take. The host itself may only say less.')

/** How many sessions a host may take from now on. */
export const HostSlots = z.object({ slots: Slots })

export const HostRequest = z.object({
  region: z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/, 'must be 1 to 64 visible ASCII characters')
    .describe('Where it runs, in a word of yours.'),
  slots: Slots.default(slotRange.preset),
})
