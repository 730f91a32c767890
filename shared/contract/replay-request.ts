// The request for a replay of events (open points, "Webhooks").

import * as z from 'zod'
import { requireAny } from './field-rules.ts'

const MAX_REPLAY_IDS = 1000

const Seq = z.int().min(0)

export const ReplayRequest = z
  .object({
    ids: z
      .array(z.guid().toLowerCase())
      .max(MAX_REPLAY_IDS)
      .transform((ids) => [...new Set(ids)])
      .optional()
      .describe('Delivers only these events.'),
    status: z
      .enum(['dead', 'delivered'])
      .optional()
      .describe('Delivers only events with this status. Without it, waiting events are due at once too.'),
    fromSeq: Seq.optional().describe('Delivers only events from this `seq` on.'),
    toSeq: Seq.optional().describe('Delivers only events up to this `seq`.'),
    webhookId: z
      .guid()
      .optional()
      .describe(
        'Delivers to this webhook; `status` is then that of the event there. Without it, to the first.',
      ),
    dryRun: z.boolean().optional().describe('Only counts the events.'),
  })
  .refine(
    ({ ids, status, fromSeq, toSeq }) => (ids ?? status ?? fromSeq ?? toSeq) !== undefined,
    'must have ids, status, fromSeq or toSeq',
  )
  .meta(requireAny(['ids', 'status', 'fromSeq', 'toSeq']))
export type ReplayRequest = z.output<typeof ReplayRequest>
