// Sends the action of a request to the host of its instance, and returns the result or throws a Fault.

import { providerCodes } from '@msgnet/shared/contract/provider-codes.ts'
import { Fault, type FaultDetail, type FaultName } from '@msgnet/shared/fault-table.ts'
import { formatTraceparent } from '@msgnet/shared/trace-context.ts'
import type { Act } from '@msgnet/shared/wire/link-frames.ts'
import {
  type ActionInput,
  type ActionName,
  type ActionResult,
  isQuestion,
} from '@msgnet/shared/wire/session-actions.ts'
import type { Context } from 'hono'
import { createQuotaFault, toWholeSeconds } from '../limits/quotas.ts'
import type { ActOutcome, KeyedResponse } from '../objects/objects.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { readActionTimeout } from '../settings/env.ts'
import type { InstanceRow } from '../store/instance-queries.ts'
import { callLink } from './call-link.ts'
import { ensureLiveHost } from './placement.ts'
import { applyPreferWait } from './prefer-wait.ts'
import { recallOutcome } from './recall-outcome.ts'

export interface DispatchOptions {
  /** Milliseconds; the deployment's action timeout unless the action has its own. */
  budget?: number
  /** The id of the message that the action creates. The fault of an unknown outcome names it. */
  messageid?: string
  /** The link object may store the response itself: it is `always`, or the action's result if that is undefined. */
  linkStores?: { always: unknown }
  /** One act of many for a response that has begun already: `Prefer: wait` does not apply to it. */
  isPartial?: boolean
}

/**
 * Sends an action to the host of `instance`. Throws the host's refusal; `outcome_unknown` if it did not respond in time, of a question `msgnet_unreachable`;
 * `session_owned_elsewhere` or `msgnet_unreachable` if no host could be reached, and then nothing happened.
 */
export async function dispatchAction<A extends ActionName>(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  action: A,
  input: ActionInput<A>,
  { budget = readActionTimeout(c.env), messageid, linkStores, isPartial }: DispatchOptions = {},
): Promise<ActionResult<A>> {
  const claim = c.get('claim')
  const assigned = await ensureLiveHost(c.env, c.get('store'), instance)
  const chats = c.get('actor')?.grant?.chats
  const waitMs = isPartial || claim?.isRecall ? budget : applyPreferWait(c, budget)
  const act: Act = {
    t: 'act',
    id: claim?.owner.actId ?? crypto.randomUUID(),
    instance: assigned.id,
    epoch: assigned.epoch,
    action,
    input,
    ...(chats && { chats }),
    budget,
    ...(waitMs < budget && { patience: waitMs }),
    requestId: c.get('requestId'),
    traceparent: formatTraceparent(c.get('trace')),
  }
  const keyedResponse = claim && {
    owner: claim.owner,
    ...(linkStores ? { response: linkStores.always } : { byRequest: true as const }),
  }
  const outcome = claim?.isRecall
    ? await recallOutcome(c, claim, assigned, act)
    : await sendToHost(c, assigned, act, { messageid, keyedResponse, waitMs })
  if (outcome.kind === 'done' || outcome.kind === 'refused') claim?.markKnown()
  if (isTemporaryRefusal(outcome)) claim?.undoDispatch()
  const named = messageid === undefined ? {} : { messageid }
  switch (outcome.kind) {
    case 'done':
      if (outcome.isStored) claim?.markAnswered()
      return outcome.result as ActionResult<A>
    case 'refused':
      throw createHostFault(outcome)
    case 'unknown':
      if (isQuestion(action)) throw new Fault('msgnet_unreachable', 'No answer came in time.')
      throw new Fault('outcome_unknown', { ...named, ...(outcome.message && { message: outcome.message }) })
    case 'over quota':
      throw createQuotaFault('sends', outcome.waitMs)
    case 'not started':
      throw claim?.isRecall ? new Fault('outcome_unknown', named) : createNoHostFault(assigned)
  }
}

interface LinkOptions {
  messageid: string | undefined
  keyedResponse: KeyedResponse | undefined
  /** Milliseconds. */
  waitMs: number
}

async function sendToHost(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  act: Act,
  { messageid, keyedResponse, waitMs }: LinkOptions,
): Promise<ActOutcome> {
  const claim = c.get('claim')
  const { hostId, epoch } = instance
  await claim?.dispatch({ messageid: messageid ?? '', hostId, epoch })
  const outcome = await callLink(c.env, () =>
    c.env.runtime.getLink(hostId).dispatchAct(act, waitMs, keyedResponse),
  )
  if (outcome.kind === 'not started' || outcome.kind === 'over quota') claim?.undoDispatch()
  return outcome
}

/** Temporary refusals do not depend on the request itself: the key must not repeat them for a day. */
const temporaryFaults: FaultName[] = [
  'storage_unavailable',
  'rate_limited',
  'msgnet_unreachable',
  'not_connected',
  'quota_reached',
  'session_owned_elsewhere',
]
/**
 * Hosts refuse with these only before any effect: their disk fails, the network limits the rate, nothing was sent until the connection or
 * the time was over, too many files wait for their conversion, or another host has the session by then.
 */
const isTemporaryRefusal = (outcome: ActOutcome) =>
  outcome.kind === 'refused' && temporaryFaults.includes(outcome.fault)

const createNoHostFault = (instance: InstanceRow): Fault =>
  instance.isLeased
    ? new Fault('session_owned_elsewhere', 'The host that holds the session is out of reach at the moment.')
    : new Fault('msgnet_unreachable', 'The session host of this instance is not linked.')

type Refusal = Extract<ActOutcome, { kind: 'refused' }>

const createHostFault = (refusal: Refusal): Fault =>
  new Fault(
    refusal.fault,
    toFaultDetail(refusal),
    refusal.waitMs === undefined ? undefined : toWholeSeconds(refusal.waitMs),
  )

const toFaultDetail = ({ message, providerCode, errorKey, until }: Refusal): FaultDetail => ({
  ...(message !== undefined && { message }),
  ...(providerCode !== undefined && { provider_code: providerCode, ...providerCodes[providerCode] }),
  ...(errorKey !== undefined && { error_key: errorKey, error_source: 'gateway' }),
  ...(until !== undefined && { until }),
})
