// The link objects of hosts.

import type { Env } from '../env.ts'
import { placedNear } from '../location.ts'
import { log, reasonOf } from '../log.ts'

/** `region` counts for the first who asks: there the object is made. */
export const linkOf = (env: Env, hostId: string, region?: string) =>
  env.HOST_LINK.get(env.HOST_LINK.idFromName(hostId), placedNear(region))

/** Before anybody else can ask for it from far away. */
export async function makeLink(env: Env, host: string, region: string): Promise<void> {
  try {
    await linkOf(env, host, region).isLinked()
  } catch (error) {
    log(env, 'error', 'link object failed', { host, reason: reasonOf(error) })
  }
}

/** Where a link object takes and hands out what is transferred. */
export const transferUrl = (name: string): string => `https://host-link/transfers/${name}`

/** Those whose link is up: a host that has just died has a lease still, and is no place for anything new. */
export async function linked<Host extends { id: string }>(env: Env, hosts: Host[]): Promise<Host[]> {
  const up = await Promise.all(hosts.map(({ id }) => isLinked(env, id)))
  return hosts.filter((_, at) => up[at])
}

async function isLinked(env: Env, host: string): Promise<boolean> {
  try {
    return await linkOf(env, host).isLinked()
  } catch (error) {
    log(env, 'error', 'link object failed', { host, reason: reasonOf(error) })
    return false
  }
}
