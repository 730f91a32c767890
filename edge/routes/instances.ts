// Instances: created, listed, looked at, given another token, deleted.

import type { Context } from 'hono'
import { SECOND } from '../../shared/clock.ts'
import type {
  Connection,
  DeleteResult,
  InitResult,
  InstanceList,
  TokenResult,
} from '../../shared/contract/answers/instance.ts'
import { CompanyId, type InitRequest } from '../../shared/contract/instance.ts'
import { Fault } from '../../shared/faults.ts'
import { digest, makeToken } from '../../shared/tokens.ts'
import type { EdgeEnv } from '../context.ts'
import { dismissCourier, tellTokenChanged } from '../delivery/wake.ts'
import { callsOn } from '../env.ts'
import { act } from '../hosts/dispatch.ts'
import type { Taking } from '../http/body.ts'
import { textQuery } from '../http/query.ts'
import { log, reasonOf } from '../log.ts'
import { openPairing } from '../pairings.ts'
import { connection, instanceRecord } from '../records/instance.ts'
import { webhookHealth } from '../records/subscription.ts'
import {
  deleteInstance,
  type InstanceRow,
  insertInstance,
  listInstances,
  replaceToken,
} from '../store/instances.ts'
import { inheritAtBirth, subscriptionOf } from '../store/subscriptions.ts'

/** A deletion does not wait longer than this for the network to say goodbye. */
const LOGOUT_WITHIN = 10 * SECOND

export async function init(c: Taking<typeof InitRequest>) {
  const { name, kind, companyId = '' } = c.req.valid('json')
  if (kind === 'calls' && !callsOn(c.env)) throw new Fault('calls_not_supported')
  const token = makeToken('instance')
  const made = { id: crypto.randomUUID(), kind, name, companyId, createdAt: Date.now() }
  const row = { ...made, tokenHash: await digest(token) }
  const result: InitResult = { instance: { ...instanceRecord({ ...unplaced, ...row }), token } }
  const body = JSON.stringify(result)

  const effects = [insertInstance(c.var.store, row), inheritAtBirth(row.id)]
  // With a key, the instance and the answer that holds its token are there both or neither.
  if (c.var.claim) await c.var.claim.doAndKeep(effects, 200, body)
  else await c.var.store.write(effects)
  return c.body(body, 200, { 'content-type': 'application/json' })
}

/** A new instance before the database's defaults are read back. */
const unplaced = {
  ...({ hostId: '', epoch: 0, rev: 0, status: 'disconnected', connected: false, loggedIn: false } as const),
  ...({ jid: '', lid: '', profileName: '', lastDisconnect: 0, lastDisconnectReason: '' } as const),
  ...{ lastSeq: 0, held: false },
  get updatedAt() {
    return Date.now()
  },
}

export async function list(c: Context<EdgeEnv>) {
  const rows = await listInstances(c.var.store, textQuery(c, 'companyId', CompanyId))
  return c.json<InstanceList>(rows.map((row) => instanceRecord(row)))
}

/** Starts nothing: what is known, with the health of the webhook. */
export async function status(c: Context<EdgeEnv>) {
  const { instance, store } = c.var
  const subscription = await (c.var.prefetched?.subscription ?? subscriptionOf(store, instance.id))
  const opened = await openPairing(c.env, instance)
  return c.json<Connection>({ ...connection(opened), webhooks: webhookHealth(subscription) })
}

export async function renewToken(c: Context<EdgeEnv>) {
  const token = makeToken('instance')
  await replaceToken(c.var.store, c.var.instance.id, await digest(token))
  await tellTokenChanged(c.env, c.var.instance.id)
  return c.json<TokenResult>({ token, instance: instanceRecord(c.var.instance) })
}

/** Logs out as well as it can be done now. A host that is away is told at its next hello. */
export async function remove(c: Context<EdgeEnv>) {
  const { instance, store } = c.var
  const unlinked = await logOut(c, instance)
  await deleteInstance(store, instance.id)
  await dismissCourier(c.env, instance.id)
  return c.json<DeleteResult>({ response: 'Instance deleted', unlinked })
}

async function logOut(c: Context<EdgeEnv>, instance: InstanceRow): Promise<boolean> {
  if (!instance.hostId) return false
  try {
    const { unlinked } = await act(c, instance, 'session.delete', {}, { budget: LOGOUT_WITHIN })
    return unlinked
  } catch (error) {
    log(c.env, 'warn', 'deleted without logout', { instance: instance.id, reason: reasonOf(error) })
    return false
  }
}
