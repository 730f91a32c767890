// Access to the link objects of hosts.

import type { Env } from '../env.ts'
import { placedNear } from '../location.ts'
import { log, reasonOf } from '../log.ts'

/** `region` counts only in the first call, which creates the object there. */
export const linkOf = (env: Env, hostId: string, region?: string) =>
  env.HOST_LINK.get(env.HOST_LINK.idFromName(hostId), placedNear(region))

/** Called at registration, before a request from another region could create the object there. */
export async function makeLink(env: Env, host: string, region: string): Promise<void> {
  try {
    await linkOf(env, host, region).isLinked()
  } catch (error) {
    log(env, 'error', 'link object failed', { host, reason: reasonOf(error) })
  }
}

/** The URL at which a link object takes an upload and serves its download. */
export const transferUrl = (name: string): string => `https://host-link/transfers/${name}`

/** The hosts whose link is open. A host that has just died still has a lease, but must get nothing new. */
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
