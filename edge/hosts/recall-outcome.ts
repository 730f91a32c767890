// What became of an act that an earlier request with the same Idempotency-Key sent, or was about to send when its edge died.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Act } from '@msgnet/shared/wire/link-frames.ts'
import type { Context } from 'hono'
import type { IdempotencyClaim } from '../idempotency/idempotency-claim.ts'
import { findLateOutcome } from '../idempotency/late-outcomes.ts'
import type { ActOutcome } from '../objects/objects.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import type { InstanceRow } from '../store/instance-queries.ts'
import { callLink } from './call-link.ts'
import { applyPreferWait } from './prefer-wait.ts'

/**
 * How long a host may take to respond to a query about an act of an earlier request. Longer than it waits before it dials an edge again
 * that was restarted.
 */
const RECALL_BUDGET = 10 * SECOND

/**
 * Throws `msgnet_unreachable` if the act was never sent: its host refuses it from then on, and the key is free again. Throws
 * `idempotency_in_progress` if its response was stored meanwhile.
 */
export async function recallOutcome(
  c: Context<EdgeEnv>,
  claim: IdempotencyClaim,
  { hostId, epoch }: InstanceRow,
  act: Act,
): Promise<ActOutcome> {
  const findLate = () => findLateOutcome(c.env, c.get('store'), act.id)
  const late = await findLate()
  if (late) return late
  const link = c.env.runtime.getLink(hostId)
  const budget = applyPreferWait(c, RECALL_BUDGET)
  const outcome = await callLink(c.env, () =>
    link.requestOutcome({ ...act, budget }, claim.findBoot(epoch), { owner: claim.owner, byRequest: true }),
  )
  if (outcome.kind !== 'not started' || !outcome.never) return outcome
  // A host forgets an act whose outcome was stored here, so the outcome may have come between the two questions.
  const stored = await findLate()
  if (stored) return stored
  await claim.releaseUnsent()
  throw new Fault('msgnet_unreachable', 'The gateway was restarted before anything of this was sent.')
}
