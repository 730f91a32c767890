// The outcome of an act: done, refused, or unknown. A refusal and a missing answer are always different outcomes.

import * as z from 'zod'
import { faultNames } from '../fault-table.ts'

export const Outcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('done'), result: z.unknown() }),
  /** It certainly had no effect. `providerCode` is the network's own number. */
  z.object({
    kind: z.literal('refused'),
    fault: z.enum(faultNames),
    message: z.string().optional(),
    providerCode: z.int().optional(),
    /** The reason as a code, if it is known without the network. */
    errorKey: z.string().optional(),
    /** The end of the time in which it would be refused again; milliseconds since the epoch. */
    until: z.int().optional(),
    /** Milliseconds after which it may be requested again. */
    waitMs: z.int().positive().optional(),
  }),
  /** The request was sent to the network and got no response: it may have taken effect. */
  z.object({ kind: z.literal('unknown'), message: z.string().optional() }),
])

export type RefusedOutcome = Extract<z.infer<typeof Outcome>, { kind: 'refused' }>
export type UnknownOutcome = Extract<z.infer<typeof Outcome>, { kind: 'unknown' }>
export type Outcome<Result = unknown> = { kind: 'done'; result: Result } | RefusedOutcome | UnknownOutcome

export const createDoneOutcome = <Result>(result: Result): Outcome<Result> => ({ kind: 'done', result })

/** Without a code that is no whole number: the other side takes no such frame, and may be sent it again on every link. */
export const createRefusal = (
  fault: RefusedOutcome['fault'],
  message?: string,
  providerCode?: number,
): RefusedOutcome => ({
  kind: 'refused',
  fault,
  ...(message !== undefined && { message }),
  ...(Number.isSafeInteger(providerCode) && { providerCode }),
})

export const createUnknownOutcome = (message?: string): UnknownOutcome => ({
  kind: 'unknown',
  ...(message !== undefined && { message }),
})
