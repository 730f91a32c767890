// Handlers that connect, disconnect and restart sessions on the instance's host.

import type { Context } from 'hono'
import { SECOND } from '../../shared/clock.ts'
import type { DisconnectResult } from '../../shared/contract/answers/instance.ts'
import type { PasskeyRequest } from '../../shared/contract/passkey.ts'
import { limits } from '../../shared/contract/version.ts'
import { Fault } from '../../shared/faults.ts'
import type { SessionState } from '../../shared/wire/session-state.ts'
import type { EdgeEnv } from '../context.ts'
import { act } from '../hosts/dispatch.ts'
import { preferredWait } from '../hosts/patience.ts'
import { place } from '../hosts/placement.ts'
import { skipAudit } from '../http/audit.ts'
import type { Handlers } from '../http/serve.ts'
import { openPairing } from '../pairings.ts'
import { proxyInUse, proxyOf } from '../proxies.ts'
import { connection, unlinkedStatus } from '../records/instance.ts'
import { webhookHealth } from '../records/subscription.ts'
import type { InstanceRow } from '../store/instances.ts'
import { withState } from '../store/states.ts'
import { subscriptionOf } from '../store/subscriptions.ts'

/** Subtracted from the wait, so that the host answers before the edge gives up and answers `outcome_unknown`. */
const SOONER = SECOND / 4

const waitMs = (c: Context<EdgeEnv>): number =>
  Math.min(limits.connectWaitMs, (preferredWait(c) ?? Number.POSITIVE_INFINITY) * SECOND - SOONER)

async function connect(c: Context<EdgeEnv>, { body: { phone } }: { body: { phone?: string | undefined } }) {
  const instance = await place(c.env, c.var.store, c.var.instance)
  const input = {
    kind: instance.kind,
    proxy: await proxyUrl(c),
    waitMs: waitMs(c),
    ...(phone !== undefined && { phone }),
  }
  const state = await act(c, instance, 'session.connect', input)
  if (isUnchanged(c.var.instance, { ...instance, rev: state.rev })) skipAudit(c)
  return connectionWithWebhooks(c, instance, state)
}

async function sendPasskey(c: Context<EdgeEnv>, { body: { assertion } }: { body: PasskeyRequest }) {
  const { instance } = c.var
  if (!instance.hostId) throw new Fault('session_conflict', 'The instance was never connected.')
  const state = await act(c, instance, 'session.passkey', { assertion, waitMs: waitMs(c) })
  return connectionWithWebhooks(c, instance, state)
}

/** Whether the host still reports the state that the edge has read with the caller. `rev` grows with every change of it. */
const isUnchanged = (before: InstanceRow, { epoch, rev }: Pick<InstanceRow, 'epoch' | 'rev'>): boolean =>
  before.epoch === epoch && before.rev === rev

async function restart(c: Context<EdgeEnv>) {
  const { instance } = c.var
  if (!instance.hostId)
    throw new Fault('not_connected', 'The instance was never connected: there is nothing to restart.')
  const input = { kind: instance.kind, proxy: await proxyUrl(c), waitMs: waitMs(c) }
  const state = await act(c, instance, 'session.restart', input)
  const shown = await connectionWithWebhooks(c, instance, state)
  return { ...shown, response: 'Instance restarted' }
}

const proxyUrl = async (c: Context<EdgeEnv>) =>
  proxyInUse(await proxyOf(c.env, c.var.store, c.var.instance.id))

/** `unlinked` is true only if the network confirmed it. */
async function disconnect(c: Context<EdgeEnv>): Promise<DisconnectResult> {
  const { instance } = c.var
  const { row, unlinked } = await unlink(c, instance)
  if (isUnchanged(instance, row)) skipAudit(c)
  return {
    response: 'Instance disconnected',
    unlinked,
    connected: false,
    loggedIn: false,
    jid: '',
    status: unlinkedStatus,
    instance: connection(row).instance,
  }
}

async function unlink(c: Context<EdgeEnv>, instance: InstanceRow) {
  const before = await openPairing(c.env, instance)
  if (!instance.hostId) return { row: before, unlinked: false }
  try {
    const wait = preferredWait(c)
    // The other half is for closing the socket if the network does not answer.
    const input = wait === undefined ? {} : { waitMs: (wait * SECOND) / 2 }
    const { unlinked, state } = await act(c, instance, 'session.disconnect', input)
    return { row: withState(before, state), unlinked }
  } catch (error) {
    const idle = instance.jid === '' && instance.status === 'disconnected'
    // Nothing is linked and nothing is under way, so the absent host is not needed.
    if (idle && error instanceof Fault && nobodyThere.includes(error.fault))
      return { row: before, unlinked: false }
    throw error
  }
}

const nobodyThere = ['session_owned_elsewhere', 'msgnet_unreachable']

async function connectionWithWebhooks(c: Context<EdgeEnv>, instance: InstanceRow, state: SessionState) {
  const row = withState(await openPairing(c.env, instance), state)
  return { ...connection(row), webhooks: webhookHealth(await subscriptionOf(c.var.store, row.id)) }
}

export const sessionHandlers = {
  ...{ connect, connectById: connect },
  ...{ sendPasskey, sendPasskeyById: sendPasskey },
  ...{ restart, restartById: restart },
  ...{ disconnect, disconnectById: disconnect },
} satisfies Partial<Handlers>
