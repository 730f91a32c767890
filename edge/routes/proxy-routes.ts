// Handlers that show, set and remove the proxy of an instance.

import type { ProxyState } from '@msgnet/shared/contract/responses/proxy-responses.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { maskProxyUrl } from '@msgnet/shared/proxy-address.ts'
import { SealError } from '@msgnet/shared/seal.ts'
import type { Context } from 'hono'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import { buildAuditEntry, skipAudit } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import {
  type InstanceProxy,
  readProxy,
  sealProxy,
  selectProxyUrl,
  validateProxy,
} from '../sealed/instance-proxy.ts'
import { deleteProxy, storeProxy } from '../store/proxy-queries.ts'

export const proxyHandlers = {
  async getProxy(c) {
    return toProxyState(await readProxy(c.env, c.var.store, c.var.instance.id))
  },

  async configureProxy(c, { body: { enable, proxy_url } }) {
    const { instance, store } = c.var
    const before = await readProxy(c.env, store, instance.id).catch((error) => {
      // What no key opens any more can only be replaced.
      if (error instanceof SealError && proxy_url) return undefined
      throw error
    })
    const url = proxy_url || (before?.url ?? '')
    if (enable && !url) throw new Fault('invalid_url', 'proxy_url must be given: there is none yet.')
    if (url) validateProxy(c.env, url)
    const proxy = { enabled: enable, url }
    const row = await sealProxy(c.env, instance.id, proxy)
    await sendProxyToHost(c, proxy)
    if (before?.enabled === enable && before.url === url) skipAudit(c)
    else await store.write([storeProxy(store, row), ...buildAuditEntry(c)])
    return toProxyState(proxy)
  },

  async removeProxy(c) {
    const { instance, store } = c.var
    const none = { enabled: false, url: '' }
    await sendProxyToHost(c, none)
    await store.write([deleteProxy(store, instance.id), ...buildAuditEntry(c, { ifChanged: true })])
    return toProxyState(none)
  },
} satisfies Partial<Handlers>

/**
 * An expected session connects by itself, and must use the proxy of this response. Any other session gets the proxy with
 * its next connect.
 */
async function sendProxyToHost(c: Context<EdgeEnv>, proxy: InstanceProxy): Promise<void> {
  const { instance } = c.var
  const isExpected = instance.jid !== '' || instance.status !== 'disconnected'
  if (!instance.hostId || !isExpected) return
  await dispatchAction(c, instance, 'session.proxy', { kind: instance.kind, proxy: selectProxyUrl(proxy) })
}

export const toProxyState = ({ enabled, url }: InstanceProxy): ProxyState => ({
  enabled,
  proxy_url: maskProxyUrl(url),
})
