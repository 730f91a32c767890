// The proxy of an instance: one URL in the contract, fields here.

import type { ProxyState } from '@msgnet/shared/contract/responses/proxy-responses.ts'
import type { Context } from 'hono'
import { callContract } from '../http/call-contract.ts'
import type { Rows } from '../http/dialect-rows.ts'
import { type Fields, readText } from '../http/read-fields.ts'
import { joinProxyUrl, splitProxyUrl } from '../records/proxy-fields.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { createMissing } from './evolution-bodies.ts'
import { nameInstance } from './evolution-callers.ts'
import { createInvalid } from './evolution-errors.ts'

/** Returns the URL. */
export function readProxy(fields: Fields): string {
  const [host, port, protocol, username, password] = names.map((name) => readText(fields[name]))
  const missing = names.slice(0, 3).find((name) => readText(fields[name]) === '')
  if (!host || !port || !protocol) throw createMissing(missing ?? '')
  const url = joinProxyUrl({ host, port, protocol, username, password })
  if (!url) throw createInvalid('instance.proxy must be a host, a port and a protocol')
  return url
}
const names = ['host', 'port', 'protocol', 'username', 'password']

/** The n8n node writes an empty text for one that is off. */
async function setProxy(c: Context<EdgeEnv>, fields: Fields) {
  const saved =
    fields.enabled === false || fields.enabled === ''
      ? await callContract<ProxyState>(c, 'removeProxy')
      : await callContract<ProxyState>(c, 'configureProxy', {
          body: { enable: true, proxy_url: readProxy(fields) },
        })
  return { proxy: { instanceName: nameInstance(c.var.instance), proxy: describeProxy(saved) } }
}

/** The credential is masked. */
const describeProxy = ({ enabled, proxy_url }: ProxyState) => ({ enabled, ...splitProxyUrl(proxy_url) })

export const proxyRows: Rows = {
  'POST /proxy/set': [setProxy, 'proxy_url=host'],
  'GET /proxy/find': ['getProxy', '', (saved: ProxyState) => (saved.proxy_url ? describeProxy(saved) : null)],
}
