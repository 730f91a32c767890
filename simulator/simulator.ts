// The server of the simulated network: one port for its sockets and its control interface.
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { controlRoutes } from './control/routes.ts'
import { serveMedia } from './media/host.ts'
import { makeNetwork } from './network/network.ts'
import { Sockets } from './network/sockets.ts'
import { quietLibsignal } from './phones/quiet.ts'
import { openStore } from './store/store.ts'
import { serverIdentity } from './wire/certificates.ts'

export type Simulator = {
  port: number
  /** The base of the control interface. */
  url: string
  /** The URL that clients connect to. */
  networkUrl: string
  /** The root certificate's public key, 32 bytes in hex. */
  rootKey: string
  /** The URL of the first media host, and those of all of them. */
  mediaUrl: string
  mediaUrls: string[]
  /** The certificate of the media host, in PEM. */
  mediaCa: string
  close(): Promise<void>
}

const HOST = '127.0.0.1'

export type Options = {
  port: number
  dataDir: string
  /** Of the first media host. Without one, it uses the port of its last run. */
  mediaPort?: number | undefined
}

/** Listens on the loopback interface only. Port 0 takes any free port. */
export async function startSimulator(options: Options): Promise<Simulator> {
  quietLibsignal()
  const store = openStore(options.dataDir)
  const network = makeNetwork(store)
  const rootKey = store.rootKeys.public.toString('hex')
  let port = options.port
  const networkUrl = () => `ws://${HOST}:${port}/ws/chat`
  const { certificate: mediaCa } = store.mediaCertificate
  const routes = controlRoutes(network, { url: networkUrl, rootKey, mediaCa })
  const server = createAdaptorServer({ fetch: routes.fetch }) as Server
  const sockets = new Sockets(network, serverIdentity(store.rootKeys, store.serverKeys))
  sockets.acceptFrom(server)
  let mediaHosts: Server[] = []
  try {
    // Before the network answers requests, because its answers name the media hosts.
    mediaHosts = await serveMedia(network, options.mediaPort)
    await listen(server, options.port)
  } catch (error) {
    for (const host of mediaHosts) host.close()
    store.close()
    throw error
  }
  const servers = [server, ...mediaHosts]
  port = (server.address() as AddressInfo).port
  return {
    port,
    url: `http://${HOST}:${port}`,
    networkUrl: networkUrl(),
    rootKey,
    mediaUrl: `https://${network.media.host}`,
    mediaUrls: network.media.hosts.map((host) => `https://${host}`),
    mediaCa,
    async close() {
      for (const { socket } of network.connections.of()) socket.drop()
      for (const one of servers) {
        one.closeAllConnections()
        await new Promise((resolve) => one.close(resolve))
      }
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
