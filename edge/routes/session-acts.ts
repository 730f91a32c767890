// Actions of a session that speaks to the network: the routes that pass them on, who may ask for them now, and under which name they send.

import type { Context } from 'hono'
import type { Route } from '../../shared/api/route.ts'
import { EVERYBODY } from '../../shared/contract/message.ts'
import { Fault } from '../../shared/faults.ts'
import { isGroup } from '../../shared/jid.ts'
import { makeMessageId } from '../../shared/tokens.ts'
import {
  type ActionInput,
  type ActionName,
  type ActionResult,
  actionInputs,
} from '../../shared/wire/actions.ts'
import type { EdgeEnv } from '../context.ts'
import { actionTimeout } from '../env.ts'
import { act, type Terms } from '../hosts/dispatch.ts'
import type { AnyHandler } from '../http/serve.ts'
import type { InstanceRow } from '../store/instances.ts'
import { delayOf } from './pacing.ts'

type Naming = {
  [Name in ActionName]: ActionInput<Name> extends { messageid: string } ? Name : never
}[ActionName]

/** A route that passes its body on to the session, and answers what came of it. */
export function passOn({ action, requires = 'login', answer: { always } }: Route): AnyHandler {
  if (!action) throw new Error('a route without an action has a handler')
  const isNamed = 'messageid' in actionInputs[action].shape
  // Only what is sent anew has a delay: what is done to a message that exists is done at once.
  const waits = 'delay' in actionInputs[action].shape
  const terms: Terms = { answer: { always } }
  const handle: AnyHandler = async (c, { body }) => {
    const instance = requirements[requires](c, body)
    const delay = waits ? delayOf(instance, body) : undefined
    const input = delay === undefined ? body : { ...body, delay }
    const result = isNamed
      ? await actNamed(c, instance, action as Naming, input, { ...terms, delay })
      : await act(c, instance, action, input, terms)
    return always ?? result
  }
  return Object.assign(handle, requires === 'login' && { judge: judgeMentions })
}

/** Asks the session for something that sends a message, under a messageid made before anything is asked. */
export function actNamed<Name extends Naming>(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  action: Name,
  input: Omit<ActionInput<Name>, 'messageid'>,
  { delay = 0, ...named }: Terms & { delay?: number | undefined } = {},
): Promise<ActionResult<Name>> {
  // So that an answer that never comes can be reconciled by it.
  const messageid = c.var.claim?.messageid || makeMessageId()
  const terms: Terms = { ...named, budget: actionTimeout(c.env) + delay, messageid }
  return act(c, instance, action, { ...input, messageid } as ActionInput<Name>, terms)
}

/** The instance, if its session can be asked something of the network. */
export function loggedIn(c: Context<EdgeEnv>): InstanceRow {
  const { instance, claim } = c.var
  // What is asked after has been judged when it was handed over.
  if (claim?.recalling) return instance
  refuseVoice(instance)
  if (instance.status !== 'connected' || !instance.loggedIn) throw new Fault('not_connected')
  return instance
}

/**
 * The instance that `session` answers. Where it refuses, `judgeRest` comes first: what is wrong with the request itself is told before
 * what is wrong with the session (order of judgement). Nothing is judged twice where all is well.
 */
export function judgedLast(session: () => InstanceRow, judgeRest: () => void): InstanceRow {
  try {
    return session()
  } catch (fault) {
    judgeRest()
    throw fault
  }
}

/** The instance, for what names a message: whether that exists is judged before the session is. */
export function placed(c: Context<EdgeEnv>): InstanceRow {
  const { instance } = c.var
  refuseVoice(instance)
  // Without a host it was never linked, and has no messages.
  if (!instance.hostId) throw new Fault('message_not_found')
  return instance
}

/** The instance, if this can be sent by it. */
export function sendable(c: Context<EdgeEnv>, request: SendRequest): InstanceRow {
  judgeMentions(request)
  return request.replyid === undefined ? loggedIn(c) : placed(c)
}

function judgeMentions({ mentions, number }: SendRequest): void {
  if (mentions?.includes(EVERYBODY) && !isGroup(number))
    throw new Fault(
      'invalid_body',
      `mentions: "${EVERYBODY}" names the members of a group, and number is no group.`,
    )
}

interface SendRequest {
  number: string
  mentions?: string[] | undefined
  replyid?: string | undefined
}

function refuseVoice({ kind }: InstanceRow): void {
  if (kind === 'calls') throw new Fault('session_conflict', 'An instance of kind calls only takes calls.')
}

export function forVoice(c: Context<EdgeEnv>): InstanceRow {
  const { instance } = c.var
  if (instance.kind !== 'calls')
    throw new Fault('session_conflict', 'Only an instance of kind calls takes calls.')
  return instance
}

/** What each route may require of the instance: answers the instance, or throws. */
const requirements: Record<
  NonNullable<Route['requires']>,
  (c: Context<EdgeEnv>, body: SendRequest) => InstanceRow
> = {
  login: sendable,
  host: placed,
  voice(c) {
    const instance = forVoice(c)
    // Without a host it was never connected.
    if (!instance.hostId) throw new Fault('not_connected')
    return instance
  },
}
