// The simulated network as a running server: one port for its sockets and for what steers it.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { controlRoutes } from './control/routes.ts'
import { makeNetwork } from './network/network.ts'
import { Sockets } from './network/sockets.ts'
import { quietLibsignal } from './phones/quiet.ts'
import { openStore } from './store/store.ts'
import { serverIdentity } from './wire/certificates.ts'

export type Simulator = {
  port: number
  /** The base of the control interface. */
  url: string
  /** Where clients connect. */
  networkUrl: string
  /** The root certificate's public key, 32 bytes in hex. */
  rootKey: string
  close(): Promise<void>
}

const HOST = '127.0.0.1'

/** Listens on the loopback interface only. Port 0 takes any that is free. */
export async function startSimulator(options: { port: number; dataDir: string }): Promise<Simulator> {
  quietLibsignal()
  const store = openStore(options.dataDir)
  const network = makeNetwork(store)
  const rootKey = store.rootKeys.public.toString('hex')
  let port = options.port
  const networkUrl = () => `ws://${HOST}:${port}/ws/chat`
  const routes = controlRoutes(network, { url: networkUrl, rootKey })
  const server = createAdaptorServer({ fetch: routes.fetch }) as Server
  const sockets = new Sockets(network, serverIdentity(store.rootKeys, store.serverKeys))
  sockets.acceptFrom(server)
  try {
    await listen(server, options.port)
  } catch (error) {
    store.close()
    throw error
  }
  port = (server.address() as AddressInfo).port
  return {
    port,
    url: `http://${HOST}:${port}`,
    networkUrl: networkUrl(),
    rootKey,
    async close() {
      for (const { wire } of network.connections.of()) wire.drop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await sockets.idle()
      store.close()
    },
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, resolve)
  })
}
