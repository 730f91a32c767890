// The proxy agents of a connection: for the library's socket and for files. The library's own fetches fail.

import { ProxyAgent } from '../../tunnel/tunnel-agent.ts'

export type ProxyAgents = ReturnType<typeof createProxyAgents>

/** `socket` is for the connection to `url`. */
export function createProxyAgents(proxy: string, url: string, options: { local: boolean }) {
  const socket = new ProxyAgent(proxy, url.startsWith('wss:') ? 'https:' : 'http:', options)
  const files = new ProxyAgent(proxy, 'https:', options)
  /** Closes all connections through the proxy. */
  const close = () => {
    socket.destroy()
    files.destroy()
  }
  return { socket, files, close }
}

/** For an instance that may have no proxy: opens its agents, or nothing. */
export const prepareProxyAgents =
  (proxy: string | undefined, url: string, options: { local: boolean }) => (): ProxyAgents | undefined =>
    proxy === undefined ? undefined : createProxyAgents(proxy, url, options)

/** The library's own fetches (parts of the app state) use no agent. They would bypass the proxy, so they fail. */
export const rejectingDispatcher = {
  dispatch(): never {
    throw new Error('nothing is fetched past the proxy')
  },
} as unknown as NonNullable<RequestInit['dispatcher']>
