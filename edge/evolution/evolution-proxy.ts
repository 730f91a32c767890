// The proxy of an instance: one URL in the contract, fields here.

import type { ProxyState } from '@msgnet/shared/contract/responses/proxy-responses.ts'
import type { Context } from 'hono'
import { callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { type Body, isObject, readText, requireFields } from './evolution-bodies.ts'
import { createInvalid } from './evolution-errors.ts'

/** Returns the URL. */
export function readProxy(body: Body): string {
  requireFields(body, 'host', 'port', 'protocol')
  const [host, port, protocol, username, password] = ['host', 'port', 'protocol', 'username', 'password'].map(
    (name) => readText(body[name]),
  )
  const credential = username ? `${encodeURIComponent(username)}:${encodeURIComponent(password ?? '')}@` : ''
  const url = `${protocol}://${credential}${host}:${port}`
  if (!URL.canParse(url)) throw createInvalid('instance.proxy must be a host, a port and a protocol')
  return url
}

export const saveProxy = (c: Context<EdgeEnv>, url: string) =>
  callContract<ProxyState>(c, 'configureProxy', { body: { enable: true, proxy_url: url } })

export async function setProxy(c: Context<EdgeEnv>, { body }: DialectInput) {
  const fields = isObject(body.proxy) ? body.proxy : body
  const saved =
    fields.enabled === false
      ? await callContract<ProxyState>(c, 'removeProxy')
      : await saveProxy(c, readProxy(fields))
  return { proxy: { instanceName: c.var.instance.name, proxy: describeProxy(saved) } }
}

export async function findProxy(c: Context<EdgeEnv>) {
  const saved = await callContract<ProxyState>(c, 'getProxy')
  return saved.proxy_url === '' ? null : describeProxy(saved)
}

/** The credential is masked. */
function describeProxy({ enabled, proxy_url }: ProxyState) {
  const url = URL.parse(proxy_url)
  return {
    enabled,
    host: url?.hostname ?? '',
    port: url?.port ?? '',
    protocol: url?.protocol.replace(':', '') ?? '',
    username: url?.username ?? '',
    password: url?.password ?? '',
  }
}
