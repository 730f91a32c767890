// Passes routes on as actions of a session, checks whether the instance can do them now, and gives each message its id.

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

/** A handler that passes the body on to the session and answers with the result. */
export function passOn({ action, requires = 'login', answer: { always } }: Route): AnyHandler {
  if (!action) throw new Error('a route without an action has a handler')
  const isNamed = 'messageid' in actionInputs[action].shape
  // Only new messages have a delay; a change of an existing message is made at once.
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

/** Asks the session for an action that sends a message, with a messageid that is made before. */
export function actNamed<Name extends Naming>(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  action: Name,
  input: Omit<ActionInput<Name>, 'messageid'>,
  { delay = 0, ...named }: Terms & { delay?: number | undefined } = {},
): Promise<ActionResult<Name>> {
  // The caller can use it to find out about a send without an answer.
  const messageid = c.get('claim')?.messageid || makeMessageId()
  const terms: Terms = { ...named, budget: actionTimeout(c.env) + delay, messageid }
  return act(c, instance, action, { ...input, messageid } as ActionInput<Name>, terms)
}

/** Returns the instance, or throws if its session is not logged in. */
export function loggedIn(c: Context<EdgeEnv>): InstanceRow {
  const instance = c.get('instance')
  // A recalled act was checked when it was handed over.
  if (c.get('claim')?.recalling) return instance
  refuseVoice(instance)
  if (instance.status !== 'connected' || !instance.loggedIn) throw new Fault('not_connected')
  return instance
}

/**
 * Returns the instance of `session`. If that refuses, `judgeRest` runs first, because an error in the request itself comes before
 * one of the session in the order of checks. Nothing is checked twice if all is well.
 */
export function judgedLast(session: () => InstanceRow, judgeRest: () => void): InstanceRow {
  try {
    return session()
  } catch (fault) {
    judgeRest()
    throw fault
  }
}

/** The instance, for a request that names a message: whether that exists is checked before the session. */
export function placed(c: Context<EdgeEnv>): InstanceRow {
  const instance = c.get('instance')
  refuseVoice(instance)
  // Without a host it was never linked, and has no messages.
  if (!instance.hostId) throw new Fault('message_not_found')
  return instance
}

/** Returns the instance, or throws if it cannot send this. */
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
  const instance = c.get('instance')
  if (instance.kind !== 'calls')
    throw new Fault('session_conflict', 'Only an instance of kind calls takes calls.')
  return instance
}

/** The checks that a route can require. Each returns the instance or throws. */
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
