// Finds out which hosts are linked, from their link objects.

import { log } from '../observability/edge-log.ts'
import type { Env } from '../settings/env.ts'

/** Called at registration, before a request from another region could create the object there. */
export async function createLink(env: Env, host: string, region: string): Promise<void> {
  try {
    await env.runtime.getLink(host, region).isLinked()
  } catch (error) {
    log(env, 'error', 'failed to call link object', { host, error })
  }
}

/** The hosts whose link is open. A host that has just died still has a lease, but must get nothing new. */
export async function selectLinked<Host extends { id: string }>(env: Env, hosts: Host[]): Promise<Host[]> {
  const up = await Promise.all(hosts.map(({ id }) => isHostLinked(env, id)))
  return hosts.filter((_, at) => up[at])
}

async function isHostLinked(env: Env, host: string): Promise<boolean> {
  try {
    return await env.runtime.getLink(host).isLinked()
  } catch (error) {
    log(env, 'error', 'failed to call link object', { host, error })
    return false
  }
}
