// What the edge needs of its runtime, in one Node process: objects of this process, and the database as a file or a libSQL server.

import { Courier } from '../delivery/courier.ts'
import { log } from '../edge-log.ts'
import type { Env, Settings } from '../env.ts'
import { HostLink } from '../hosts/host-link.ts'
import type { RequestContext, Runtime } from '../runtime.ts'
import { openServer } from '../store/database/server/server-database.ts'
import { openFileDatabase } from './file-database.ts'
import { closeHostSockets, openHostSocket, type UpgradeRequest } from './host-sockets.ts'
import { nodeCryptography } from './node-cryptography.ts'
import { closeIdleConnections, fetchOutbound } from './outbound.ts'
import { ObjectRegistry } from './process-objects.ts'

export type DatabaseLocation = { file: string } | { url: string; token: string }

export interface NodeRuntime extends Runtime {
  /** Ends the streams of events, which have no end of their own. */
  endStreams(): void
  /** Ends links, alarms and outgoing connections, and closes the database. */
  close(): Promise<void>
}

export interface NodeEnv extends Env {
  runtime: NodeRuntime
}

export interface NodeContext extends RequestContext {
  /** Set if the connection asks for an upgrade; `accepted` once it was made a WebSocket. */
  upgrade?: UpgradeRequest & { accepted: boolean }
}

export function createEnv(settings: Settings, location: DatabaseLocation): NodeEnv {
  const onCheckpointError = (error: unknown) =>
    log(settings, 'error', 'failed to write checkpoint', { error })
  const file = 'file' in location ? openFileDatabase(location.file, onCheckpointError) : undefined
  const links: ObjectRegistry<HostLink> = new ObjectRegistry(settings, (state) => new HostLink(state, env))
  const couriers: ObjectRegistry<Courier> = new ObjectRegistry(settings, (state) => new Courier(state, env))
  const env: NodeEnv = {
    ...settings,
    runtime: {
      getLink: (hostId) => links.getOrCreate(hostId).object,
      getCourier: (instanceId) => couriers.getOrCreate(instanceId).object,
      fetch: fetchOutbound,
      cryptography: nodeCryptography,
      openDatabase: (after) => file ?? openServer(createServerOptions(location), after),
      async acceptLink(context, id, tokenHash) {
        const { upgrade } = context as NodeContext
        if (!upgrade) throw new Error('the request asks for no upgrade')
        upgrade.accepted = true
        openHostSocket(upgrade, links.getOrCreate(id), { id, tokenHash })
        // The connection is the WebSocket's now, so this answer is for the log only.
        return new Response(null, { status: 204 })
      },
      endStreams() {
        for (const { object } of couriers.listEntries()) object.endStreams()
      },
      async close() {
        links.stopAlarms()
        couriers.stopAlarms()
        await closeHostSockets(links.listEntries())
        closeIdleConnections()
        await file?.close()
      },
    },
  }
  return env
}

/** The operator has named this database, so it may be anywhere. */
const createServerOptions = (location: DatabaseLocation) => ({
  ...('url' in location ? location : { url: undefined, token: undefined }),
  // What had no answer may have been done.
  fetch: (url: string, init: RequestInit) => fetchOutbound('allowlisted', url, init, { mayRetry: false }),
  waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
})
