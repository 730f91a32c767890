// The proxy of an instance: it is stored sealed, checked by its address, and sent to the host with every connect.

import { Fault } from '../shared/faults.ts'
import { placeOfProxy, whyNoProxy } from '../shared/proxy-place.ts'
import { utf8 } from './bytes.ts'
import { type Env, localProxiesOn } from './env.ts'
import { sealerOf } from './seals.ts'
import type { Store } from './store/database/database.ts'
import { findProxy, type ProxyRow } from './store/proxies.ts'

export interface InstanceProxy {
  enabled: boolean
  /** With the password; empty if there is no proxy. */
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

/** The URL that the host uses; empty for no proxy. */
export const proxyInUse = ({ enabled, url }: InstanceProxy): string => (enabled ? url : '')

/** Throws `invalid_url` for a proxy on the host or in its local network, unless the deployment allows those. */
export function judgeProxy(env: Env, url: string): void {
  const place = placeOfProxy(url)
  const why = place ? whyNoProxy(place, localProxiesOn(env)) : 'be a URL of scheme, host and port'
  if (why) throw new Fault('invalid_url', `proxy_url must ${why}.`)
}
