// The proxy of an instance: kept sealed, judged by where it is, told to the host with every connection that is asked for.

import { Fault } from '../shared/faults.ts'
import { placeOfProxy, whyNoProxy } from '../shared/proxy-place.ts'
import { utf8 } from './bytes.ts'
import { type Env, localProxiesOn } from './env.ts'
import { sealerOf } from './seals.ts'
import type { Store } from './store/database/database.ts'
import { findProxy, type ProxyRow } from './store/proxies.ts'

export interface InstanceProxy {
  enabled: boolean
  /** With its password; empty when there is none. */
  url: string
}

const contextOf = (instanceId: string) => `proxy:${instanceId}`

export async function proxyOf(env: Env, store: Store, instanceId: string): Promise<InstanceProxy> {
  const row = await findProxy(store, instanceId)
  if (!row) return { enabled: false, url: '' }
  const sealer = await sealerOf(env, 'edge/proxy')
  const url = new TextDecoder().decode(await sealer.open(new Uint8Array(row.url), contextOf(instanceId)))
  return { enabled: row.enabled, url }
}

export async function sealProxy(
  env: Env,
  instanceId: string,
  { enabled, url }: InstanceProxy,
): Promise<ProxyRow> {
  const sealer = await sealerOf(env, 'edge/proxy')
  return { instanceId, enabled, url: await sealer.seal(utf8(url), contextOf(instanceId)) }
}

/** The URL that the host connects by: empty for no proxy. */
export const proxyInUse = ({ enabled, url }: InstanceProxy): string => (enabled ? url : '')

/** Throws `invalid_url` for one in the host's own surroundings, unless the deployment allows those. */
export function judgeProxy(env: Env, url: string): void {
  const place = placeOfProxy(url)
  const why = place ? whyNoProxy(place, localProxiesOn(env)) : 'be a URL of scheme, host and port'
  if (why) throw new Fault('invalid_url', `proxy_url must ${why}.`)
}
