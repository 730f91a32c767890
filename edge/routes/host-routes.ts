// Handlers for session hosts, which the admin registers and removes, and for the link that each host opens.

import type { Host } from '@msgnet/shared/contract/responses/host-responses.ts'
import { formatDateTime } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { createToken, hashSha256 } from '@msgnet/shared/random-tokens.ts'
import type { Context } from 'hono'
import { createLink } from '../hosts/linked-hosts.ts'
import { buildAuditEntry } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { isUuid } from '../http/uuid.ts'
import { log } from '../observability/edge-log.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import type { RequestContext } from '../runtime/runtime.ts'
import {
  changeSlots,
  deleteHost,
  findHostById,
  type HostRow,
  insertHost,
  listHosts,
  markDraining,
  replaceHostToken,
} from '../store/host-queries.ts'

export const hostHandlers = {
  async registerHost(c, { body: { region, slots } }) {
    const token = createToken('host')
    const host = { id: crypto.randomUUID(), region, createdAt: Date.now() }
    const row = { ...host, maxSlots: slots, tokenHash: await hashSha256(token) }
    await insertHost(c.var.store, row, buildAuditEntry(c, { target: host.id }))
    await createLink(c.env, host.id, region)
    return { token, host: toHostRecord({ ...host, ...unseen, slots }) }
  },

  /** The previous token ends and its link is closed. A process that still uses it has no sessions after its lease. */
  async renewHostToken(c) {
    const id = parseHostId(c)
    const token = createToken('host')
    const { store } = c.var
    if (
      !(await replaceHostToken(store, id, await hashSha256(token), buildAuditEntry(c, { ifChanged: true })))
    )
      throw new Fault('host_not_found')
    await closeLink(c, id, 'its token was replaced')
    return { token, host: await readHostRecord(c, id) }
  },

  /** Counts for new placements at once; running sessions are not ended. */
  async resizeHost(c, { body: { slots } }) {
    const id = parseHostId(c)
    if (!(await changeSlots(c.var.store, id, slots, buildAuditEntry(c, { ifChanged: true }))))
      throw new Fault('host_not_found')
    return { host: await readHostRecord(c, id) }
  },

  async listHosts(c) {
    return { hosts: (await listHosts(c.var.store)).map(toHostRecord) }
  },

  /** The host gets no new instances; its instances move to hosts that share its store, as far as they have slots. */
  async drainHost(c) {
    const id = parseHostId(c)
    if (!(await markDraining(c.var.store, id, buildAuditEntry(c, { ifChanged: true }))))
      throw new Fault('host_not_found')
    await c.env.runtime.getLink(id).drainHost()
    return { response: 'Host draining', host: await readHostRecord(c, id) }
  },

  /** Its next instances are placed as ever; those that went to other hosts stay there. */
  async undrainHost(c) {
    const id = parseHostId(c)
    if (!(await markDraining(c.var.store, id, buildAuditEntry(c, { ifChanged: true }), false)))
      throw new Fault('host_not_found')
    return { response: 'Host takes instances again', host: await readHostRecord(c, id) }
  },

  async deleteHost(c) {
    const id = parseHostId(c)
    if (!(await deleteHost(c.var.store, id, buildAuditEntry(c, { ifChanged: true })))) {
      if (!(await findHostById(c.var.store, id))) throw new Fault('host_not_found')
      throw new Fault('session_conflict', 'Instances are linked there: drain the host first, or delete them.')
    }
    await closeLink(c, id, 'this host was deleted')
    return { response: 'Host deleted' }
  },

  async openHostLink(c) {
    const { id, tokenHash } = c.var.host
    if (c.req.method !== 'GET' || c.req.header('upgrade')?.toLowerCase() !== 'websocket')
      throw new Fault('invalid_body', 'upgrade must be websocket: this route is a WebSocket.')
    return c.env.runtime.acceptLink(c.executionCtx as RequestContext, id, tokenHash)
  },
} satisfies Partial<Handlers>

/** If this fails, the next heartbeat is still refused. */
const closeLink = ({ env }: Context<EdgeEnv>, id: string, why: string): Promise<void> =>
  env.runtime
    .getLink(id)
    .closeLink(why)
    .catch((error) => log(env, 'error', 'failed to call link object', { host: id, error }))

const unseen = { storeId: '', sessions: 0, lag: 0, leaseUntil: 0, draining: false, live: false }

async function readHostRecord(c: Context<EdgeEnv>, id: string): Promise<Host> {
  const host = await findHostById(c.var.store, id)
  if (!host) throw new Fault('host_not_found')
  return toHostRecord(host)
}

function parseHostId(c: Context<EdgeEnv>): string {
  const id = c.req.param('id') ?? ''
  if (!isUuid(id)) throw new Fault('invalid_id', 'id must be a UUID.')
  return id.toLowerCase()
}

type Shown = Pick<
  HostRow,
  | 'id'
  | 'region'
  | 'storeId'
  | 'slots'
  | 'sessions'
  | 'lag'
  | 'leaseUntil'
  | 'draining'
  | 'live'
  | 'createdAt'
>

const toHostRecord = (row: Shown): Host => ({
  id: row.id,
  region: row.region,
  store: row.storeId,
  live: row.live,
  draining: row.draining,
  slots: row.slots,
  sessions: row.sessions,
  lag: row.lag,
  leaseUntil: formatDateTime(row.leaseUntil),
  createdAt: formatDateTime(row.createdAt),
})
