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
} from '../../shared/contract/answers/host.ts'
import type { HostRequest } from '../../shared/contract/host.ts'
import { Fault } from '../../shared/faults.ts'
import { digest, makeToken } from '../../shared/tokens.ts'
import type { EdgeEnv } from '../context.ts'
import { linkOf } from '../hosts/links.ts'
import { authenticateHost } from '../http/auth.ts'
import type { Taking } from '../http/body.ts'
import { deleteHost, type HostRow, hostById, insertHost, listHosts, markDraining } from '../store/hosts.ts'

export async function registerHost(c: Taking<typeof HostRequest>) {
  const { region } = c.req.valid('json')
  const token = makeToken('host')
  const host = { id: crypto.randomUUID(), region, createdAt: Date.now() }
  await insertHost(c.var.store, { ...host, tokenHash: await digest(token) })
  return c.json<HostRegistered>({ host: hostRecord({ ...host, ...unseen }), token })
}

const unseen = { storeId: '', slots: 0, sessions: 0, lag: 0, leaseUntil: 0, draining: false, live: false }

export async function allHosts(c: Context<EdgeEnv>) {
  return c.json<HostList>({ hosts: (await listHosts(c.var.store)).map(hostRecord) })
}

/** No new instances from now on; what it has goes to hosts that share its store, as far as they have room. */
export async function drainHost(c: Context<EdgeEnv>) {
  const id = hostIdIn(c)
  if (!(await markDraining(c.var.store, id))) throw new Fault('host_not_found')
  await linkOf(c.env, id).drain()
  const host = await hostById(c.var.store, id)
  if (!host) throw new Fault('host_not_found')
  return c.json<HostDrained>({ response: 'Host draining', host: hostRecord(host) })
}

export async function removeHost(c: Context<EdgeEnv>) {
  const id = hostIdIn(c)
  if (!(await deleteHost(c.var.store, id))) {
    if (!(await hostById(c.var.store, id))) throw new Fault('host_not_found')
    throw new Fault('session_conflict', 'Instances are linked there: drain the host first, or delete them.')
  }
  await linkOf(c.env, id).dismiss()
  return c.json<HostDeleted>({ response: 'Host deleted' })
}

function hostIdIn(c: Context<EdgeEnv>): string {
  const id = c.req.param('id') ?? ''
  if (!z.uuid().safeParse(id).success) throw new Fault('invalid_id', 'id must be a UUID.')
  return id
}

export async function hostLink(c: Context<EdgeEnv>): Promise<Response> {
  const host = await authenticateHost(c.env, c.req.header('authorization'))
  if (c.req.header('upgrade')?.toLowerCase() !== 'websocket')
    throw new Fault('invalid_body', 'upgrade must be websocket: this route is a WebSocket.')
  const headers = { upgrade: 'websocket', 'x-host': host }
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
