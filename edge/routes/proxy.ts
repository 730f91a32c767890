// Handlers that show, set and remove the proxy of an instance.

import type { Context } from 'hono'
import type { ProxyState } from '../../shared/contract/answers/proxy.ts'
import { Fault } from '../../shared/faults.ts'
import { masked } from '../../shared/proxy-place.ts'
import { SealError } from '../../shared/seal.ts'
import type { EdgeEnv } from '../context.ts'
import { act } from '../hosts/dispatch.ts'
import { auditOf, skipAudit } from '../http/audit.ts'
import type { Handlers } from '../http/serve.ts'
import { type InstanceProxy, judgeProxy, proxyInUse, proxyOf, sealProxy } from '../proxies.ts'
import { dropProxy, saveProxy } from '../store/proxies.ts'

export const proxyHandlers = {
  async getProxy(c) {
    return shownProxy(await proxyOf(c.env, c.var.store, c.var.instance.id))
  },

  async configureProxy(c, { body: { enable, proxy_url } }) {
    const { instance, store } = c.var
    const before = await proxyOf(c.env, store, instance.id).catch((error) => {
      // What no key opens any more can only be replaced.
      if (error instanceof SealError && proxy_url) return undefined
      throw error
    })
    const url = proxy_url || (before?.url ?? '')
    if (enable && !url) throw new Fault('invalid_url', 'proxy_url must be given: there is none yet.')
    if (url) judgeProxy(c.env, url)
    const proxy = { enabled: enable, url }
    const row = await sealProxy(c.env, instance.id, proxy)
    await passToHost(c, proxy)
    if (before?.enabled === enable && before.url === url) skipAudit(c)
    else await store.write([saveProxy(store, row), ...auditOf(c)])
    return shownProxy(proxy)
  },

  async removeProxy(c) {
    const { instance, store } = c.var
    const none = { enabled: false, url: '' }
    await passToHost(c, none)
    await store.write([dropProxy(store, instance.id), ...auditOf(c, { ifChanged: true })])
    return shownProxy(none)
  },
} satisfies Partial<Handlers>

/**
 * A wanted session connects by itself, and must use the proxy that was answered here. Any other session gets the proxy with
 * its next connect.
 */
async function passToHost(c: Context<EdgeEnv>, proxy: InstanceProxy): Promise<void> {
  const { instance } = c.var
  const wanted = instance.jid !== '' || instance.status !== 'disconnected'
  if (!instance.hostId || !wanted) return
  await act(c, instance, 'session.proxy', { kind: instance.kind, proxy: proxyInUse(proxy) })
}

export const shownProxy = ({ enabled, url }: InstanceProxy): ProxyState => ({
  enabled,
  proxy_url: masked(url),
})
