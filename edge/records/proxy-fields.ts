// The URL of a proxy as the fields that other forms of the API have for it.

import { parseProxyUrl } from '@msgnet/shared/proxy-address.ts'

/** Undefined if they make no URL. */
export function joinProxyUrl({
  host,
  port,
  protocol,
  username = '',
  password = '',
}: ProxyFields): string | undefined {
  const credential = username ? `${encodeURIComponent(username)}:${encodeURIComponent(password)}@` : ''
  const url = `${protocol}://${credential}${host}:${port}`
  return URL.canParse(url) ? url : undefined
}

export interface ProxyFields {
  host: string
  port: string
  protocol: string
  username?: string | undefined
  password?: string | undefined
}

/** As the URL has them; empty ones of no URL. The parser leaves out the usual port of a scheme. */
export function splitProxyUrl(proxyUrl: string): Record<keyof ProxyFields, string> {
  const url = URL.parse(proxyUrl)
  const { hostname: host = '', protocol = '', username = '', password = '' } = url ?? {}
  const scheme = protocol.replace(':', '')
  const port = url?.port || String(parseProxyUrl(proxyUrl)?.port ?? '')
  return { host, port, protocol: scheme, username, password }
}
