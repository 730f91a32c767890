// The URL of a proxy as the fields that other forms of the API have for it.

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

/** As the URL has them; empty ones of no URL. */
export function splitProxyUrl(proxyUrl: string): Record<keyof ProxyFields, string> {
  const url = URL.parse(proxyUrl)
  const { hostname: host = '', port = '', protocol = '', username = '', password = '' } = url ?? {}
  return { host, port, protocol: protocol.replace(':', ''), username, password }
}
