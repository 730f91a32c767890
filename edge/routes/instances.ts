// Handlers that create, list, show and delete instances, and renew their tokens.

import type { Context } from 'hono'
import { SECOND } from '../../shared/clock.ts'
import type { DeleteResult, InitResult } from '../../shared/contract/answers/instance.ts'
import { Fault } from '../../shared/faults.ts'
import { digest, makeToken } from '../../shared/tokens.ts'
import type { EdgeEnv } from '../context.ts'
import { dismissCourier, notifyTokenChanged } from '../delivery/wake.ts'
import { callsOn } from '../env.ts'
import { keptToken } from '../family/tokens.ts'
import { act } from '../hosts/dispatch.ts'
import { auditOf } from '../http/audit.ts'
import { holdsScope } from '../http/auth.ts'
import type { Handlers } from '../http/serve.ts'
import { writeList } from '../http/streamed-body.ts'
import { log, reasonOf } from '../log.ts'
import { openPairing } from '../pairings.ts'
import { connection, instanceRecord } from '../records/instance.ts'
import { webhookHealth } from '../records/subscription.ts'
import { callerAndHealth } from '../store/callers.ts'
import type { Store } from '../store/database/database.ts'
import { deleteInstance } from '../store/instance-deletion.ts'
import { listInstancePages } from '../store/instance-list.ts'
import { type InstanceRow, insertInstance, replaceToken } from '../store/instances.ts'
import { inheritAtBirth, subscriptionOf } from '../store/subscriptions.ts'

/** A deletion does not wait longer than this for the network to unlink the device. */
const LOGOUT_WITHIN = 10 * SECOND

/** Reads only what the edge has stored, with the health of the webhook. */
const status = (async (c) => {
  const instance = c.get('instance')
  const subscription = await (c.get('prefetched')?.subscription ??
    subscriptionOf(c.get('store'), instance.id))
  // Whoever has the code of a linking can link a phone of their own.
  const mayLink = holdsScope(c.get('actor'), 'operate')
  const opened = mayLink ? await openPairing(c.env, instance) : { ...instance, pairing: null }
  return { ...connection(opened), webhooks: webhookHealth(subscription) }
}) satisfies Handlers['getStatus']

export const instanceHandlers = {
  async createInstance(c, { body }) {
    const { name, kind, companyId = '' } = body
    if (kind === 'calls' && !callsOn(c.env)) throw new Fault('calls_not_supported')
    const token = makeToken('instance')
    const made = { id: crypto.randomUUID(), kind, name, companyId, createdAt: Date.now() }
    const row = { ...made, tokenHash: await digest(token) }
    const result: InitResult = {
      instance: { ...instanceRecord({ ...unplaced, ...row }), token },
      ...{ response: 'Instance created', token, name, connected: false, loggedIn: false },
    }
    const answer = JSON.stringify(result)

    const effects = [
      insertInstance(c.get('store'), row),
      inheritAtBirth(row.id),
      ...(await keptToken(c.env, c.get('store'), row.id, token)),
      ...auditOf(c, { target: row.id }),
    ]
    // With a key, the instance and the stored answer with its token are one write.
    const claim = c.get('claim')
    if (claim) await claim.doAndKeep(effects, 200, answer)
    else await c.get('store').write(effects)
    return c.body(answer, 200, { 'content-type': 'application/json' })
  },

  async listInstances(c, { query }) {
    const list = await writeList(listInstancePages(c.get('store'), query.companyId))
    return c.body(list, 200, { 'content-type': 'application/json' })
  },

  getStatus: Object.assign(status, {
    prefetch: (store: Store, tokenHash: string) => {
      const found = callerAndHealth(store, tokenHash)
      return {
        caller: found.then(({ instance }) => instance),
        subscription: found.then(({ subscription }) => subscription),
      }
    },
  }),
  getStatusById: (c) => status(c),

  deleteInstance: remove,
  deleteInstanceById: remove,

  async renewTokenById(c, { body: { overlap } }) {
    const token = makeToken('instance')
    const { instance, store } = c.var
    const replace = replaceToken(store, instance.id, await digest(token), overlap)
    const kept = await keptToken(c.env, store, instance.id, token)
    // Directly after the change, because the entry checks whether the statement before it changed a row.
    await store.write([...kept, replace, ...auditOf(c, { ifChanged: true })])
    await notifyTokenChanged(c.env, c.get('instance').id)
    return { token, instance: instanceRecord(c.get('instance')) }
  },
} satisfies Partial<Handlers>

/** A new instance before the database's defaults are read back. */
const unplaced = {
  ...({ hostId: '', epoch: 0, rev: 0, status: 'disconnected', connected: false, loggedIn: false } as const),
  ...({ jid: '', lid: '', profileName: '', lastDisconnect: 0, lastDisconnectReason: '' } as const),
  ...{ delayMin: 0, delayMax: 0, lastSeq: 0, held: false },
  ...{ previousTokenHash: null, previousTokenUntil: 0 },
  get updatedAt() {
    return Date.now()
  },
}

/** Unlinks the device if that is possible now. A host that is not linked learns of the deletion at its next `hello`. */
async function remove(c: Context<EdgeEnv>): Promise<DeleteResult> {
  const { instance, store } = c.var
  const unlinked = await logOut(c, instance)
  await deleteInstance(store, instance.id, auditOf(c, { ifChanged: true }))
  await dismissCourier(c.env, instance.id)
  return { response: 'Instance deleted', unlinked }
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
