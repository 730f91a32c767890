// Handlers that connect, disconnect and restart sessions on the instance's host.

import type { HistoryMode } from '@msgnet/shared/contract/history.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import type { PasskeyRequest } from '@msgnet/shared/contract/passkey-requests.ts'
import type { DisconnectResult } from '@msgnet/shared/contract/responses/instance-responses.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { SessionState } from '@msgnet/shared/wire/session-state.ts'
import type { Context } from 'hono'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import { placeInstance } from '../hosts/placement.ts'
import { parsePreferWait } from '../hosts/prefer-wait.ts'
import { skipAudit } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { toConnection, unlinkedStatus } from '../records/instance-record.ts'
import { toWebhookHealth } from '../records/webhook-record.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { readProxy, selectProxyUrl } from '../sealed/instance-proxy.ts'
import { openPairing } from '../sealed/pairings.ts'
import type { InstanceRow } from '../store/instance-queries.ts'
import { applyState } from '../store/state-queries.ts'
import { findFirstWebhook } from '../store/webhook-queries.ts'

/** Subtracted from the wait, so that the host responds before the edge stops waiting and responds `outcome_unknown`. */
const SOONER = SECOND / 4

const computeWaitMs = (c: Context<EdgeEnv>): number =>
  Math.min(limits.maxConnectWaitMs, (parsePreferWait(c) ?? Number.POSITIVE_INFINITY) * SECOND - SOONER)

export async function connectSession(
  c: Context<EdgeEnv>,
  { body: { phone, history } }: { body: { phone?: string | undefined; history?: HistoryMode | undefined } },
) {
  const instance = await placeInstance(c.env, c.var.store, c.var.instance)
  const input = {
    kind: instance.kind,
    proxy: await readProxyUrl(c),
    waitMs: computeWaitMs(c),
    ...(phone !== undefined && { phone }),
    ...(history !== undefined && { history }),
  }
  const state = await dispatchAction(c, instance, 'session.connect', input)
  if (isUnchanged(c.var.instance, { ...instance, rev: state.rev })) skipAudit(c)
  return describeConnection(c, instance, state)
}

export async function sendPasskey(c: Context<EdgeEnv>, { body: { assertion } }: { body: PasskeyRequest }) {
  const { instance } = c.var
  if (!instance.hostId) throw new Fault('session_conflict', 'The instance was never connected.')
  const state = await dispatchAction(c, instance, 'session.passkey', { assertion, waitMs: computeWaitMs(c) })
  return describeConnection(c, instance, state)
}

/** Whether the host still reports the state that the edge has read with the caller. `rev` grows with every change of it. */
const isUnchanged = (before: InstanceRow, { epoch, rev }: Pick<InstanceRow, 'epoch' | 'rev'>): boolean =>
  before.epoch === epoch && before.rev === rev

async function restartSession(c: Context<EdgeEnv>) {
  const { instance } = c.var
  if (!instance.hostId)
    throw new Fault('not_connected', 'The instance was never connected: there is nothing to restart.')
  const input = { kind: instance.kind, proxy: await readProxyUrl(c), waitMs: computeWaitMs(c) }
  const state = await dispatchAction(c, instance, 'session.restart', input)
  const shown = await describeConnection(c, instance, state)
  return { ...shown, response: 'Instance restarted' }
}

const readProxyUrl = async (c: Context<EdgeEnv>) =>
  selectProxyUrl(await readProxy(c.env, c.var.store, c.var.instance.id))

/** `unlinked` is true only if the network confirmed it. */
async function disconnectSession(c: Context<EdgeEnv>): Promise<DisconnectResult> {
  const { instance } = c.var
  const { row, unlinked } = await unlinkSession(c, instance)
  if (isUnchanged(instance, row)) skipAudit(c)
  return {
    response: 'Instance disconnected',
    unlinked,
    connected: false,
    loggedIn: false,
    jid: '',
    status: unlinkedStatus,
    instance: toConnection(row).instance,
  }
}

async function unlinkSession(c: Context<EdgeEnv>, instance: InstanceRow) {
  const before = await openPairing(c.env, instance)
  if (!instance.hostId) return { row: before, unlinked: false }
  try {
    const wait = parsePreferWait(c)
    // The other half is for closing the socket if the network does not respond.
    const input = wait === undefined ? {} : { waitMs: (wait * SECOND) / 2 }
    const { unlinked, state } = await dispatchAction(c, instance, 'session.disconnect', input)
    return { row: applyState(before, state), unlinked }
  } catch (error) {
    const idle = instance.jid === '' && instance.status === 'disconnected'
    // Nothing is linked and nothing is under way, so the absent host is not needed.
    if (idle && error instanceof Fault && noHostFaults.includes(error.fault))
      return { row: before, unlinked: false }
    throw error
  }
}

const noHostFaults = ['session_owned_elsewhere', 'msgnet_unreachable']

export async function describeConnection(c: Context<EdgeEnv>, instance: InstanceRow, state: SessionState) {
  const connection = toConnection(applyState(await openPairing(c.env, instance), state))
  // Its code links a device.
  if (connection.pairing) c.header('cache-control', 'no-store')
  return { ...connection, webhooks: toWebhookHealth(await findFirstWebhook(c.var.store, instance.id)) }
}

export const sessionHandlers = {
  connect: connectSession,
  connectById: connectSession,
  sendPasskey,
  sendPasskeyById: sendPasskey,
  restart: restartSession,
  restartById: restartSession,
  disconnect: disconnectSession,
  disconnectById: disconnectSession,
} satisfies Partial<Handlers>
