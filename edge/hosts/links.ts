// Which hosts are linked, as their link objects say.

import type { Env } from '../env.ts'
import { log, reasonOf } from '../log.ts'

/** Called at registration, before a request from another region could create the object there. */
export async function makeLink(env: Env, host: string, region: string): Promise<void> {
  try {
    await env.runtime.link(host, region).isLinked()
  } catch (error) {
    log(env, 'error', 'link object failed', { host, reason: reasonOf(error) })
  }
}

/** The hosts whose link is open. A host that has just died still has a lease, but must get nothing new. */
export async function linked<Host extends { id: string }>(env: Env, hosts: Host[]): Promise<Host[]> {
  const up = await Promise.all(hosts.map(({ id }) => isLinked(env, id)))
  return hosts.filter((_, at) => up[at])
}

async function isLinked(env: Env, host: string): Promise<boolean> {
  try {
    return await env.runtime.link(host).isLinked()
  } catch (error) {
    log(env, 'error', 'link object failed', { host, reason: reasonOf(error) })
    return false
  }
}
