// Handlers for session hosts, which the admin registers and removes, and for the link that each host opens.

import type { Context } from 'hono'
import * as z from 'zod'
import { dateTime } from '../../shared/clock.ts'
import type { Host } from '../../shared/contract/answers/host.ts'
import { Fault } from '../../shared/faults.ts'
import { digest, makeToken } from '../../shared/tokens.ts'
import type { EdgeEnv } from '../context.ts'
import { makeLink } from '../hosts/links.ts'
import { auditOf } from '../http/audit.ts'
import type { Handlers } from '../http/serve.ts'
import { log, reasonOf } from '../log.ts'
import type { RequestContext } from '../runtime.ts'
import {
  deleteHost,
  giveSlots,
  type HostRow,
  hostById,
  insertHost,
  listHosts,
  markDraining,
  replaceHostToken,
} from '../store/hosts.ts'

export const hostHandlers = {
  async registerHost(c, { body: { region, slots } }) {
    const token = makeToken('host')
    const host = { id: crypto.randomUUID(), region, createdAt: Date.now() }
    const row = { ...host, slotsGiven: slots, tokenHash: await digest(token) }
    await insertHost(c.var.store, row, auditOf(c, { target: host.id }))
    await makeLink(c.env, host.id, region)
    return { token, host: hostRecord({ ...host, ...unseen, slots }) }
  },

  /** The former token ends and its link is closed. A process that still uses it loses its sessions with its lease. */
  async renewHostToken(c) {
    const id = hostIdIn(c)
    const token = makeToken('host')
    const { store } = c.var
    if (!(await replaceHostToken(store, id, await digest(token), auditOf(c, { ifChanged: true }))))
      throw new Fault('host_not_found')
    // If this fails, the next heartbeat is still refused.
    await c.env.runtime
      .link(id)
      .dismiss('its token was replaced')
      .catch((error) => log(c.env, 'error', 'link object failed', { host: id, reason: reasonOf(error) }))
    return { token, host: await shownHost(c, id) }
  },

  /** Counts for new placements at once; running sessions are not ended. */
  async resizeHost(c, { body: { slots } }) {
    const id = hostIdIn(c)
    if (!(await giveSlots(c.var.store, id, slots, auditOf(c, { ifChanged: true }))))
      throw new Fault('host_not_found')
    return { host: await shownHost(c, id) }
  },

  async listHosts(c) {
    return { hosts: (await listHosts(c.var.store)).map(hostRecord) }
  },

  /** The host gets no new instances; its instances move to hosts that share its store, as far as they have slots. */
  async drainHost(c) {
    const id = hostIdIn(c)
    if (!(await markDraining(c.var.store, id, auditOf(c, { ifChanged: true }))))
      throw new Fault('host_not_found')
    await c.env.runtime.link(id).drain()
    return { response: 'Host draining', host: await shownHost(c, id) }
  },

  /** Its next instances are placed as ever; those that went to other hosts stay there. */
  async undrainHost(c) {
    const id = hostIdIn(c)
    if (!(await markDraining(c.var.store, id, auditOf(c, { ifChanged: true }), false)))
      throw new Fault('host_not_found')
    return { response: 'Host takes instances again', host: await shownHost(c, id) }
  },

  async deleteHost(c) {
    const id = hostIdIn(c)
    if (!(await deleteHost(c.var.store, id, auditOf(c, { ifChanged: true })))) {
      if (!(await hostById(c.var.store, id))) throw new Fault('host_not_found')
      throw new Fault('session_conflict', 'Instances are linked there: drain the host first, or delete them.')
    }
    await c.env.runtime.link(id).dismiss('this host was deleted')
    return { response: 'Host deleted' }
  },

  async openHostLink(c) {
    const { id, tokenHash } = c.var.host
    if (c.req.header('upgrade')?.toLowerCase() !== 'websocket')
      throw new Fault('invalid_body', 'upgrade must be websocket: this route is a WebSocket.')
    return c.env.runtime.acceptLink(c.executionCtx as RequestContext, id, tokenHash)
  },
} satisfies Partial<Handlers>

const unseen = { storeId: '', sessions: 0, lag: 0, leaseUntil: 0, draining: false, live: false }

async function shownHost(c: Context<EdgeEnv>, id: string): Promise<Host> {
  const host = await hostById(c.var.store, id)
  if (!host) throw new Fault('host_not_found')
  return hostRecord(host)
}

function hostIdIn(c: Context<EdgeEnv>): string {
  const id = c.req.param('id') ?? ''
  if (!z.uuid().safeParse(id).success) throw new Fault('invalid_id', 'id must be a UUID.')
  return id
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

const hostRecord = (row: Shown): Host => ({
  ...{ id: row.id, region: row.region, store: row.storeId, live: row.live, draining: row.draining },
  ...{ slots: row.slots, sessions: row.sessions, lag: row.lag },
  leaseUntil: dateTime(row.leaseUntil),
  createdAt: dateTime(row.createdAt),
})
