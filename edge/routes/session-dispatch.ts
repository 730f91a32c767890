// Turns routes into actions of a session, checks whether the instance can do them now, and creates the id of each message.

import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import { ALL_MEMBERS } from '@msgnet/shared/contract/message-requests.ts'
import { findTimeFault } from '@msgnet/shared/contract/send-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { isGroup } from '@msgnet/shared/jid.ts'
import { createMessageId } from '@msgnet/shared/random-tokens.ts'
import {
  type ActionInput,
  type ActionName,
  type ActionResult,
  actionInputs,
  type SchedulableAction,
} from '@msgnet/shared/wire/session-actions.ts'
import type { Context } from 'hono'
import { type DispatchOptions, dispatchAction } from '../hosts/dispatch-action.ts'
import type { AnyHandler } from '../http/serve-route.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { readActionTimeout } from '../settings/env.ts'
import { isLoggedIn, takesMessages } from '../store/can-send.ts'
import type { InstanceRow } from '../store/instance-queries.ts'
import { chooseDelay } from './message-delay.ts'

type Naming = {
  [Name in ActionName]: ActionInput<Name> extends { messageid: string } ? Name : never
}[ActionName]

/** A handler that sends the body to the session and responds with the result. */
export function createActionHandler({ action, requires = 'login', response: { always } }: Route): AnyHandler {
  if (!action) throw new Error('a route without an action has a handler')
  const isNamed = 'messageid' in actionInputs[action].shape
  // Only new messages have a delay; a change of an existing message is made at once.
  const waits = 'delay' in actionInputs[action].shape
  const options: DispatchOptions = { linkStores: { always } }
  const handle: AnyHandler = async (c, { body }) => {
    const instance = sessionChecks[requires](c, body)
    const delay = waits ? chooseDelay(instance, body) : undefined
    const input = delay === undefined ? body : { ...body, delay }
    const result = isNamed
      ? await dispatchMessage(c, instance, action as Naming, input, { ...options, delay })
      : await dispatchAction(c, instance, action, input, options)
    return always ?? result
  }
  // Also before the key is claimed, where that is a step of its own.
  return Object.assign(handle, requires === 'login' && { validate: validateMentions })
}

/** Sends the session an action that creates a message, with a messageid that is created before. */
export function dispatchMessage<Name extends Naming>(
  c: Context<EdgeEnv>,
  instance: InstanceRow,
  action: Name,
  input: Omit<ActionInput<Name>, 'messageid'>,
  { delay = 0, ...named }: DispatchOptions & { delay?: number | undefined } = {},
): Promise<ActionResult<Name>> {
  // The caller can use it to find out about a send without a response.
  const messageid = c.get('claim')?.messageid || createMessageId()
  const { sendAt, ...rest } = input as { sendAt?: string; parcel?: string }
  if (sendAt !== undefined) {
    const request = { action: action as SchedulableAction, input: rest, parcel: rest.parcel ?? '', sendAt }
    const scheduled = dispatchAction(
      c,
      instance,
      'message.schedule',
      { ...request, messageid },
      { ...named, messageid },
    )
    return scheduled as Promise<ActionResult<Name>>
  }
  const options: DispatchOptions = { ...named, budget: readActionTimeout(c.env) + delay, messageid }
  return dispatchAction(c, instance, action, { ...input, messageid } as ActionInput<Name>, options)
}

/** Returns the instance, or throws if its session is not logged in. */
export function requireLoggedIn(c: Context<EdgeEnv>): InstanceRow {
  const instance = c.get('instance')
  // A recalled act was checked when it was dispatched.
  if (c.get('claim')?.isRecall) return instance
  rejectCallsKind(instance)
  if (!isLoggedIn(instance)) throw new Fault('not_connected')
  return instance
}

/**
 * Returns the instance of `session`. If that throws, `validateRest` runs first, because an error in the request itself comes before
 * one of the session in the order of checks. Nothing is checked twice if all is well.
 */
export async function validateAfterSession(
  session: () => InstanceRow,
  validateRest: () => Promise<void> | undefined,
): Promise<InstanceRow> {
  try {
    return session()
  } catch (fault) {
    await validateRest()
    throw fault
  }
}

/** The instance, for a request that names a message: whether that exists is checked before the session. */
export function requirePlaced(c: Context<EdgeEnv>): InstanceRow {
  const instance = c.get('instance')
  rejectCallsKind(instance)
  // Without a host it was never linked, and has no messages.
  if (!instance.hostId) throw new Fault('message_not_found')
  return instance
}

/** Returns the instance, or throws if it cannot send this. */
export function requireSendable(c: Context<EdgeEnv>, request: SendRequest): InstanceRow {
  validateMentions(request)
  validateTime(c, request)
  return request.replyid === undefined ? requireLoggedIn(c) : requirePlaced(c)
}

function validateMentions({ mentions, number }: SendRequest): void {
  if (mentions?.includes(ALL_MEMBERS) && !isGroup(number))
    throw new Fault(
      'invalid_body',
      `mentions must have "${ALL_MEMBERS}" only where number is a group: it names its members.`,
    )
}

/** After the key is claimed, so that a repeat gets the first response when the time has passed. */
export function validateTime(c: Context<EdgeEnv>, { sendAt }: { sendAt?: string | undefined }): void {
  if (sendAt === undefined || c.get('claim')?.isRecall) return
  const fault = findTimeFault(sendAt)
  if (fault) throw new Fault('invalid_body', fault)
}

interface SendRequest {
  number: string
  sendAt?: string | undefined
  mentions?: string[] | undefined
  replyid?: string | undefined
}

function rejectCallsKind(instance: InstanceRow): void {
  if (!takesMessages(instance))
    throw new Fault('session_conflict', 'An instance of kind calls only takes calls.')
}

export function requireCallsKind(c: Context<EdgeEnv>): InstanceRow {
  const instance = c.get('instance')
  if (instance.kind !== 'calls')
    throw new Fault('session_conflict', 'Only an instance of kind calls takes calls.')
  return instance
}

/** The checks that a route can require. Each returns the instance or throws. */
const sessionChecks: Record<
  NonNullable<Route['requires']>,
  (c: Context<EdgeEnv>, body: SendRequest) => InstanceRow
> = {
  login: requireSendable,
  host: requirePlaced,
  voice(c) {
    const instance = requireCallsKind(c)
    // Without a host it was never connected.
    if (!instance.hostId) throw new Fault('not_connected')
    return instance
  },
}
