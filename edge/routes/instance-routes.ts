// Handlers that create, list, show and delete instances, and renew their tokens.

import type { DeleteResult, InitResult } from '@msgnet/shared/contract/responses/instance-responses.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { createToken, hashSha256 } from '@msgnet/shared/random-tokens.ts'
import type { Context } from 'hono'
import { notifyInstanceDeleted, notifyTokenChanged } from '../delivery/notify-couriers.ts'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import { mayLink } from '../http/auth.ts'
import { takeListTurns } from '../http/list-turns.ts'
import { buildAuditEntry } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { encodeWhole, writeList } from '../http/streamed-body.ts'
import { log } from '../observability/edge-log.ts'
import { listInstancePages } from '../records/instance-list.ts'
import { toConnection, toInstanceRecord } from '../records/instance-record.ts'
import { toWebhookHealth } from '../records/webhook-record.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { openPairing } from '../sealed/pairings.ts'
import { areCallsEnabled, readLeaseMs } from '../settings/env.ts'
import { findCallerAndHealth } from '../store/caller-queries.ts'
import type { Store } from '../store/database/open-store.ts'
import { readHeardAt } from '../store/host-queries.ts'
import {
  type InstanceRow,
  insertInstance,
  isHandleTaken,
  isTokenTaken,
  replaceInstanceToken,
} from '../store/instance-queries.ts'
import { copyServerWebhook, selectOneInstance } from '../store/webhook-inheritance.ts'
import { findFirstWebhook } from '../store/webhook-queries.ts'
import { deleteInstance } from './instance-deletion.ts'

/** A deletion does not wait longer than this for the network to unlink the device. */
const LOGOUT_WITHIN = 10 * SECOND

/** Reads only what the edge has stored, with the health of the webhook. */
const readStatus = (async (c) => {
  const instance = c.get('instance')
  const webhook = await (c.get('prefetched')?.webhook ?? findFirstWebhook(c.get('store'), instance.id))
  // With the pairing code a caller can link another phone.
  const opened = mayLink(c.get('actor')) ? await openPairing(c.env, instance) : { ...instance, pairing: null }
  // The text of a QR code links a device.
  if (opened.pairing) c.header('cache-control', 'no-store')
  return { ...toConnection(opened, await findHeardAt(c, instance)), webhooks: toWebhookHealth(webhook) }
}) satisfies Handlers['getStatus']

/** The last time that the session is known to have been up. */
async function findHeardAt(c: Context<EdgeEnv>, { isLeased, hostId }: InstanceRow): Promise<number> {
  return isLeased ? Date.now() : readHeardAt(c.var.store, hostId, readLeaseMs(c.env))
}

export const instanceHandlers = {
  async createInstance(c, { body }) {
    const { name, kind, companyId = '', handle = null } = body
    if (kind === 'calls' && !areCallsEnabled(c.env)) throw new Fault('calls_not_supported')
    const token = c.env.dialect.createInstanceToken()
    const made = { id: crypto.randomUUID(), kind, name, companyId, handle, createdAt: Date.now() }
    const row = { ...made, tokenHash: await hashSha256(token) }
    const result: InitResult = {
      instance: { ...toInstanceRecord({ ...unplaced, ...row }), token },
      response: 'Instance created',
      token,
      name,
      connected: false,
      loggedIn: false,
    }
    const response = JSON.stringify(result)

    const effects = [
      insertInstance(c.get('store'), row),
      copyServerWebhook(selectOneInstance(row.id), row.createdAt),
      ...(await c.env.dialect.buildTokenWrites(c.get('store'), row.id, token)),
      ...(await c.env.dialect.buildCreationWrites(c.get('store'), row.id, body)),
      ...buildAuditEntry(c, { target: row.id }),
    ]
    // With a key, the instance and the stored response with its token are one write.
    const claim = c.get('claim')
    try {
      await (claim ? claim.writeWithResponse(effects, 200, response) : c.get('store').write(effects))
    } catch (error) {
      if (isHandleTaken(error)) throw new Fault('handle_taken')
      throw isTokenTaken(error) ? new Fault('invalid_body', 'token is in use.') : error
    }
    return c.body(response, 200, { 'content-type': 'application/json' })
  },

  async listInstances(c, { query }) {
    const pages = takeListTurns(c, listInstancePages(c.get('store'), query.companyId, readLeaseMs(c.env)))
    const list = await writeList(pages, encodeWhole)
    if (list instanceof Uint8Array) c.set('sharedBody', list)
    return c.body(list, 200, { 'content-type': 'application/json' })
  },

  getStatus: Object.assign(readStatus, {
    prefetch: (store: Store, tokenHash: string) => {
      const found = findCallerAndHealth(store, tokenHash)
      return {
        caller: found.then(({ instance }) => instance),
        webhook: found.then(({ webhook }) => webhook),
      }
    },
  }),
  getStatusById: (c) => readStatus(c),

  deleteInstance: removeInstance,
  deleteInstanceById: removeInstance,

  async renewTokenById(c, { body: { overlap } }) {
    const token = createToken('instance')
    const { instance, store } = c.var
    const replace = replaceInstanceToken(store, instance.id, await hashSha256(token), overlap)
    const tokenWrites = await c.env.dialect.buildTokenWrites(store, instance.id, token)
    // Directly after the change, because the entry checks whether the statement before it changed a row.
    await store.write([...tokenWrites, replace, ...buildAuditEntry(c, { ifChanged: true })])
    await notifyTokenChanged(c.env, c.get('instance').id)
    return { token, instance: toInstanceRecord(c.get('instance')) }
  },
} satisfies Partial<Handlers>

/** A new instance before the database's defaults are read back. */
const unplaced = {
  hostId: '',
  epoch: 0,
  rev: 0,
  status: 'disconnected' as const,
  connected: false,
  loggedIn: false,
  jid: '',
  lid: '',
  profileName: '',
  lastDisconnect: 0,
  lastDisconnectReason: '' as const,
  delayMin: 0,
  delayMax: 0,
  lastSeq: 0,
  isLeased: false,
  previousTokenHash: null,
  previousTokenUntil: 0,
  get updatedAt() {
    return Date.now()
  },
}

/** Unlinks the device if that is possible now. A host that is not linked learns of the deletion at its next `hello`. */
async function removeInstance(c: Context<EdgeEnv>): Promise<DeleteResult> {
  const { instance, store } = c.var
  const unlinked = await unlinkDevice(c, instance)
  await deleteInstance(store, instance.id, buildAuditEntry(c, { ifChanged: true }))
  await notifyInstanceDeleted(c.env, instance.id)
  return { response: 'Instance deleted', unlinked }
}

async function unlinkDevice(c: Context<EdgeEnv>, instance: InstanceRow): Promise<boolean> {
  if (!instance.hostId) return false
  try {
    const { unlinked } = await dispatchAction(c, instance, 'session.delete', {}, { budget: LOGOUT_WITHIN })
    return unlinked
  } catch (error) {
    log(c.env, 'warn', 'failed to log out device', { instance: instance.id, error })
    return false
  }
}
