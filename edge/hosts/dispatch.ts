// Sends the action of a request to the host of its instance, and returns the result or throws a Fault.

import type { Context } from 'hono'
import { SECOND } from '../../shared/clock.ts'
import { providerCodes } from '../../shared/contract/provider-codes.ts'
import { Fault, type FaultDetail, type FaultName } from '../../shared/faults.ts'
import { traceparentOf } from '../../shared/trace.ts'
import type { ActionInput, ActionName, ActionResult } from '../../shared/wire/actions.ts'
import type { Act } from '../../shared/wire/frames.ts'
import { unknown } from '../../shared/wire/outcome.ts'
import type { EdgeEnv } from '../context.ts'
import { actionTimeout, type Env } from '../env.ts'
import { log, reasonOf } from '../log.ts'
import type { Answer, Keeping } from '../objects.ts'
import { overQuota } from '../quotas.ts'
import type { InstanceRow } from '../store/instances.ts'
import { findLateOutcome } from '../store/late-outcomes.ts'
import { patienceOf } from './patience.ts'
import { withHost } from './placement.ts'

/** How long a host may take to answer a query about an act of an earlier request. */
const RECALL_BUDGET = 5 * SECOND

export interface Terms {
  /** Milliseconds; the deployment's action timeout unless the action has its own. */
  budget?: number
  /** The id of the message that the action creates. The fault of an unknown outcome names it. */
  messageid?: string
  /** The link object may store the request's answer itself: it is `always`, or the action's result if that is undefined. */
  answer?: { always: unknown }
  /** One act of many for an answer that has begun already: `Prefer: wait` does not apply to it. */
  inParts?: boolean
}

/**
 * Asks the host of `instance` for an action. Throws the host's refusal; `outcome_unknown` if it did not answer in time;
 * `session_owned_elsewhere` or `msgnet_unreachable` if no host could be asked, and then nothing happened.
 */
export async function act<A extends ActionName>(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  action: A,
  input: ActionInput<A>,
  { budget = actionTimeout(c.env), messageid, answer: onlyAnswer, inParts }: Terms = {},
): Promise<ActionResult<A>> {
  const claim = c.get('claim')
  const placed = await withHost(c.env, c.get('store'), instance)
  const order: Act = {
    ...{
      t: 'act' as const,
      id: claim?.actId ?? crypto.randomUUID(),
      instance: placed.id,
      epoch: placed.epoch,
    },
    ...{ action, input, budget },
    ...{ requestId: c.get('requestId'), traceparent: traceparentOf(c.get('trace')) },
  }
  const keeping = claim && onlyAnswer && { owned: claim.owned, ...onlyAnswer }
  const answer = claim?.recalling
    ? await recall(c, placed, order)
    : await hand(c, placed, order, { messageid, keeping, patience: inParts ? budget : patienceOf(c, budget) })
  if (isUntouched(answer)) claim?.takeBack()
  const named = messageid === undefined ? {} : { messageid }
  switch (answer.kind) {
    case 'done':
      if (answer.kept) claim?.wasKept()
      return answer.result as ActionResult<A>
    case 'refused':
      throw new Fault(answer.fault, refusal(answer))
    case 'unknown':
      throw new Fault('outcome_unknown', { ...named, ...(answer.message && { message: answer.message }) })
    case 'over quota':
      throw overQuota('sends', answer.waitMs)
    case 'not started':
      throw claim?.recalling ? new Fault('outcome_unknown', named) : noHostToAsk(placed)
  }
}

interface HandOver {
  messageid: string | undefined
  keeping: Keeping | undefined
  /** Milliseconds. */
  patience: number
}

async function hand(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  order: Act,
  { messageid, keeping, patience }: HandOver,
): Promise<Answer> {
  const claim = c.get('claim')
  await claim?.hand(messageid ?? '')
  const answer = await ask(c.env, () => c.env.runtime.link(instance.hostId).act(order, patience, keeping))
  if (answer.kind === 'not started' || answer.kind === 'over quota') claim?.takeBack()
  return answer
}

/** Temporary refusals that say nothing about the request itself: the key must not repeat them for a day. */
const fleeting: FaultName[] = ['storage_unavailable', 'rate_limited', 'msgnet_unreachable']
/** Hosts refuse with these only before any effect: if their disk fails, if the network limits the rate, or if it says too little. */
const isUntouched = (answer: Answer) => answer.kind === 'refused' && fleeting.includes(answer.fault)

async function recall(c: Context<EdgeEnv>, instance: InstanceRow, order: Act): Promise<Answer> {
  const late = await findLateOutcome(c.env, c.get('store'), order.id)
  if (late) return late
  const link = c.env.runtime.link(instance.hostId)
  const budget = patienceOf(c, RECALL_BUDGET)
  return ask(c.env, () => link.recall({ ...order, budget }))
}

/** If a link object fails, it is not known whether it has passed the act on. */
async function ask(env: Env, question: () => Promise<Answer>): Promise<Answer> {
  try {
    return await question()
  } catch (error) {
    log(env, 'error', 'link object failed', { reason: reasonOf(error) })
    return unknown()
  }
}

const noHostToAsk = (instance: InstanceRow): Fault =>
  instance.held
    ? new Fault('session_owned_elsewhere', 'The host that holds the session is out of reach at the moment.')
    : new Fault('msgnet_unreachable', 'The session host of this instance is not linked.')

type Refusal = Extract<Answer, { kind: 'refused' }>
const refusal = ({ message, providerCode, errorKey, until }: Refusal): FaultDetail => ({
  ...(message !== undefined && { message }),
  ...(providerCode !== undefined && { provider_code: providerCode, ...providerCodes[providerCode] }),
  ...(errorKey !== undefined && { error_key: errorKey, error_source: 'gateway' }),
  ...(until !== undefined && { until }),
})
