// Session hosts: registered and removed by the admin, and the link that each of them dials.

import type { Context } from 'hono'
import * as z from 'zod'
import { dateTime } from '../../shared/clock.ts'
import type {
  Host,
  HostDeleted,
  HostDrained,
  HostList,
  HostRegistered,
  HostResized,
} from '../../shared/contract/answers/host.ts'
import type { HostRequest, HostSlots } from '../../shared/contract/host.ts'
import { Fault } from '../../shared/faults.ts'
import { digest, makeToken } from '../../shared/tokens.ts'
import type { EdgeEnv } from '../context.ts'
import { linkOf, makeLink } from '../hosts/links.ts'
import { authenticateHost } from '../http/auth.ts'
import type { Taking } from '../http/body.ts'
import { log, reasonOf } from '../log.ts'
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

export async function registerHost(c: Taking<typeof HostRequest>) {
  const { region, slots } = c.req.valid('json')
  const token = makeToken('host')
  const host = { id: crypto.randomUUID(), region, createdAt: Date.now() }
  await insertHost(c.var.store, { ...host, slotsGiven: slots, tokenHash: await digest(token) })
  await makeLink(c.env, host.id, region)
  return c.json<HostRegistered>({ token, host: hostRecord({ ...host, ...unseen, slots }) }, 200, NO_STORE)
}

const unseen = { storeId: '', sessions: 0, lag: 0, leaseUntil: 0, draining: false, live: false }

const NO_STORE = { 'cache-control': 'no-store' }

/** The former token ends with its link; whoever holds it loses its sessions with its lease. */
export async function renewHostToken(c: Context<EdgeEnv>) {
  const id = hostIdIn(c)
  const token = makeToken('host')
  if (!(await replaceHostToken(c.var.store, id, await digest(token)))) throw new Fault('host_not_found')
  // Even if this fails its next heartbeat is refused.
  await linkOf(c.env, id)
    .dismiss('its token was replaced')
    .catch((error) => log(c.env, 'error', 'link object failed', { host: id, reason: reasonOf(error) }))
  return c.json<HostRegistered>({ token, host: await shownHost(c, id) }, 200, NO_STORE)
}

/** At once, for what is placed from now on; nothing that runs is ended. */
export async function resizeHost(c: Taking<typeof HostSlots>) {
  const id = hostIdIn(c)
  if (!(await giveSlots(c.var.store, id, c.req.valid('json').slots))) throw new Fault('host_not_found')
  return c.json<HostResized>({ host: await shownHost(c, id) })
}

async function shownHost(c: Context<EdgeEnv>, id: string): Promise<Host> {
  const host = await hostById(c.var.store, id)
  if (!host) throw new Fault('host_not_found')
  return hostRecord(host)
}

export async function allHosts(c: Context<EdgeEnv>) {
  return c.json<HostList>({ hosts: (await listHosts(c.var.store)).map(hostRecord) })
}

/** No new instances from now on; what it has goes to hosts that share its store, as far as they have room. */
export async function drainHost(c: Context<EdgeEnv>) {
  const id = hostIdIn(c)
  if (!(await markDraining(c.var.store, id))) throw new Fault('host_not_found')
  await linkOf(c.env, id).drain()
  return c.json<HostDrained>({ response: 'Host draining', host: await shownHost(c, id) })
}

export async function removeHost(c: Context<EdgeEnv>) {
  const id = hostIdIn(c)
  if (!(await deleteHost(c.var.store, id))) {
    if (!(await hostById(c.var.store, id))) throw new Fault('host_not_found')
    throw new Fault('session_conflict', 'Instances are linked there: drain the host first, or delete them.')
  }
  await linkOf(c.env, id).dismiss('this host was deleted')
  return c.json<HostDeleted>({ response: 'Host deleted' })
}

function hostIdIn(c: Context<EdgeEnv>): string {
  const id = c.req.param('id') ?? ''
  if (!z.uuid().safeParse(id).success) throw new Fault('invalid_id', 'id must be a UUID.')
  return id
}

export async function hostLink(c: Context<EdgeEnv>): Promise<Response> {
  const { host, tokenHash } = await authenticateHost(c.env, c.req.header('authorization'))
  if (c.req.header('upgrade')?.toLowerCase() !== 'websocket')
    throw new Fault('invalid_body', 'upgrade must be websocket: this route is a WebSocket.')
  const headers = { upgrade: 'websocket', 'x-host': host, 'x-token-hash': tokenHash }
  const { webSocket } = await linkOf(c.env, host).fetch('https://host-link/', { headers })
  // Made anew: the headers of the object's own answer cannot be added to.
  return new Response(null, { status: 101, webSocket })
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
