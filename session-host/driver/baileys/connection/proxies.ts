// What goes by a proxy: for the library's socket, for files, and for nothing that the library would fetch past both.

import { ProxyAgent } from '../../tunnel/agent.ts'

export interface ProxyAgents {
  /** For the socket to `url`. */
  socket: ProxyAgent
  files: ProxyAgent
  /** Ends everything that goes by it. */
  close(): void
}

export function makeProxyAgents(proxy: string, url: string, terms: { local: boolean }): ProxyAgents {
  const socket = new ProxyAgent(proxy, url.startsWith('wss:') ? 'https:' : 'http:', terms)
  const files = new ProxyAgent(proxy, 'https:', terms)
  return {
    socket,
    files,
    close() {
      socket.destroy()
      files.destroy()
    },
  }
}

/**
 * What the library fetches by itself (history that does not come along, parts of the app's state) takes no agent. It would go
 * past the proxy, so it fails.
 */
export const fetchesNothing = {
  dispatch(): never {
    throw new Error('nothing is fetched past the proxy')
  },
} as unknown as NonNullable<RequestInit['dispatcher']>
