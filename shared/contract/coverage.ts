// The times between which every message that the network would give a device is here, and the gaps between them.

import * as z from 'zod'
import { Milliseconds } from './responses/response-fields.ts'

export const gapStates = ['open', 'filling', 'filled', 'partial'] as const
export type GapState = (typeof gapStates)[number]

export const MAX_SHOWN_GAPS = 10

export const Span = z.object({ from: Milliseconds, to: Milliseconds })
export type Span = z.infer<typeof Span>

export const Gap = Span.extend({
  state: z
    .enum(gapStates)
    .describe(
      '`open`: the phone has sent nothing of it yet. `filling`: it is sending. `filled`: its history is whole and reaches back to `from`. `partial`: its history is whole and does not.',
    ),
  recovered: z.int().nonnegative().describe('How many messages of it have come.'),
})
export type Gap = z.infer<typeof Gap>

export const Coverage = z.object({
  since: Milliseconds.describe('The first login of the account; 0 if there was none.'),
  until: Milliseconds.describe('Moves while the session is up; 0 if there was no login.'),
  gaps: z.array(Gap).max(MAX_SHOWN_GAPS).describe('The newest ten, the newest first.'),
})
export type Coverage = z.infer<typeof Coverage>

/** As a host reports it. `isMoving`: the session is up, so `until` is now. */
export const ReportedCoverage = Coverage.extend({ isMoving: z.boolean() })
export type ReportedCoverage = z.infer<typeof ReportedCoverage>

export const noCoverage: Coverage = { since: 0, until: 0, gaps: [] }
