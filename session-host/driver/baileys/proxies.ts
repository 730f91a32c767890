// The way by a proxy: for the library's socket, for files, and for nothing that the library would fetch past both.

import type { Agent } from 'node:http'
import { HttpsProxyAgent } from 'https-proxy-agent'
import { SocksProxyAgent } from 'socks-proxy-agent'

/** `url`: http, https or socks5. The proxy resolves names: a question to our own resolver would tell where we go. */
export const agentBy = (url: string): Agent =>
  url.startsWith('socks5:')
    ? new SocksProxyAgent(url.replace('socks5:', 'socks5h:'))
    : new HttpsProxyAgent(url)

/**
 * What the library fetches by itself (history that does not come along, parts of the app's state) takes no agent. It would go
 * past the proxy, so it fails.
 */
export const fetchesNothing = {
  dispatch(): never {
    throw new Error('nothing is fetched past the proxy')
  },
} as unknown as NonNullable<RequestInit['dispatcher']>
