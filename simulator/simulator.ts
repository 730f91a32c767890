// The server of the simulated network: one port for its sockets and its control interface.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { createControlRoutes } from './control/control-routes.ts'
import { createNetwork } from './network/simulated-network.ts'
import { quietLibsignal } from './phones/quiet-libsignal.ts'
import { KEEP_ALIVE_MS, startMediaHosts } from './server/media-servers.ts'
import { Sockets } from './server/sockets.ts'
import { openStore } from './store/network-store.ts'
import { createServerIdentity } from './wire/certificates.ts'

export type Simulator = Awaited<ReturnType<typeof startSimulator>>

const HOST = '127.0.0.1'

export type SimulatorOptions = {
  port: number
  dataDir: string
  /** Of the first media host. Without one, it uses the port of its last run. */
  mediaPort?: number | undefined
}

/** Listens on the loopback interface only. Port 0 takes any free port. */
export async function startSimulator(options: SimulatorOptions) {
  quietLibsignal()
  const store = openStore(options.dataDir)
  const network = createNetwork(store)
  const rootKey = store.rootKeys.public.toString('hex')
  let port = options.port
  const formatNetworkUrl = () => `ws://${HOST}:${port}/ws/chat`
  const { certificate: mediaCa } = store.mediaCertificate
  const routes = createControlRoutes(network, { url: formatNetworkUrl, rootKey, mediaCa })
  const server = createAdaptorServer({
    fetch: routes.fetch,
    serverOptions: { keepAliveTimeout: KEEP_ALIVE_MS },
  }) as Server
  const sockets = new Sockets(network, createServerIdentity(store.rootKeys, store.serverKeys))
  sockets.acceptFrom(server)
  let mediaHosts: Server[] = []
  try {
    // Before the network accepts requests, because its responses name the media hosts.
    mediaHosts = await startMediaHosts(network, options.mediaPort)
    await listenOn(server, options.port)
  } catch (error) {
    for (const host of mediaHosts) host.close()
    store.close()
    throw error
  }
  port = (server.address() as AddressInfo).port
  return {
    port,
    /** The base of the control interface. */
    url: `http://${HOST}:${port}`,
    /** The URL that clients connect to. */
    networkUrl: formatNetworkUrl(),
    /** The root certificate's public key, 32 bytes in hex. */
    rootKey,
    /** The URL of the first media host, and those of all of them. */
    mediaUrl: `https://${network.media.host}`,
    mediaUrls: network.media.hosts.map((host) => `https://${host}`),
    /** The certificate of the media hosts, in PEM. */
    mediaCa,
    async close() {
      for (const { socket } of network.connections.listConnections()) socket.drop()
      for (const running of [server, ...mediaHosts]) {
        running.closeAllConnections()
        await new Promise((resolve) => running.close(resolve))
      }
      await sockets.waitUntilIdle()
      store.close()
    },
  }
}

function listenOn(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, resolve)
  })
}
