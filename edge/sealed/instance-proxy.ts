// The proxy of an instance: it is stored sealed, checked by its address, and sent to the host with every connect.

import { Fault } from '@msgnet/shared/fault-table.ts'
import { explainProxyRefusal, parseProxyUrl } from '@msgnet/shared/proxy-address.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { areLocalProxiesAllowed, type Env } from '../settings/env.ts'
import type { Store } from '../store/database/open-store.ts'
import { findProxy, type ProxyRow } from '../store/proxy-queries.ts'
import { findSealer } from './sealers.ts'

export interface InstanceProxy {
  enabled: boolean
  /** With the password; empty if there is no proxy. */
  url: string
}

const formatSealContext = (instanceId: string) => `proxy:${instanceId}`

export async function readProxy(env: Env, store: Store, instanceId: string): Promise<InstanceProxy> {
  const row = await findProxy(store, instanceId)
  if (!row) return { enabled: false, url: '' }
  const sealer = await findSealer(env, 'edge/proxy')
  const url = new TextDecoder().decode(
    await sealer.open(new Uint8Array(row.url), formatSealContext(instanceId)),
  )
  return { enabled: row.enabled, url }
}

export async function sealProxy(
  env: Env,
  instanceId: string,
  { enabled, url }: InstanceProxy,
): Promise<ProxyRow> {
  const sealer = await findSealer(env, 'edge/proxy')
  return { instanceId, enabled, url: await sealer.seal(encodeUtf8(url), formatSealContext(instanceId)) }
}

/** The URL that the host uses; empty for no proxy. */
export const selectProxyUrl = ({ enabled, url }: InstanceProxy): string => (enabled ? url : '')

/** Throws `invalid_url` for a proxy on the host or in its local network, unless the deployment allows those. */
export function validateProxy(env: Env, url: string): void {
  const place = parseProxyUrl(url)
  const why = place
    ? explainProxyRefusal(place, areLocalProxiesAllowed(env))
    : 'be a URL of scheme, host and port'
  if (why) throw new Fault('invalid_url', `proxy_url must ${why}.`)
}
