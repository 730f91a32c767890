// What the edge needs of its runtime, in one Node process: objects of this process, and the database as a file or a libSQL server.

import { Courier } from '../delivery/courier.ts'
import type { Env, Settings } from '../env.ts'
import { HostLink } from '../hosts/host-link.ts'
import { log, reasonOf } from '../log.ts'
import type { RequestContext, Runtime } from '../runtime.ts'
import { openServer } from '../store/database/server/server-database.ts'
import { nodeCryptography } from './cryptography.ts'
import { openFileDatabase } from './file-database.ts'
import { closeHostSockets, openHostSocket, type UpgradeRequest } from './host-sockets.ts'
import { Objects } from './objects.ts'
import { closeOutbound, fetchOutward } from './outbound.ts'

export type DatabasePlace = { file: string } | { url: string; token: string }

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

export function makeEnv(settings: Settings, place: DatabasePlace): NodeEnv {
  const failed = (error: unknown) => log(settings, 'error', 'checkpoint failed', { reason: reasonOf(error) })
  const file = 'file' in place ? openFileDatabase(place.file, failed) : undefined
  const links: Objects<HostLink> = new Objects(settings, (state) => new HostLink(state, env))
  const couriers: Objects<Courier> = new Objects(settings, (state) => new Courier(state, env))
  const env: NodeEnv = {
    ...settings,
    runtime: {
      link: (hostId) => links.get(hostId).object,
      courier: (instanceId) => couriers.get(instanceId).object,
      fetch: fetchOutward,
      cryptography: nodeCryptography,
      openDatabase: (after) => file ?? openServer(serverAt(place), after),
      async acceptLink(context, id, tokenHash) {
        const { upgrade } = context as NodeContext
        if (!upgrade) throw new Error('the request asks for no upgrade')
        upgrade.accepted = true
        openHostSocket(upgrade, links.get(id), { id, tokenHash })
        // The connection is the WebSocket's now, so this answer is for the log only.
        return new Response(null, { status: 204 })
      },
      endStreams() {
        for (const { object } of couriers.all()) object.endStreams()
      },
      async close() {
        links.stop()
        couriers.stop()
        await closeHostSockets(links.all())
        closeOutbound()
        await file?.close()
      },
    },
  }
  return env
}

/** The operator has named this database, so it may be anywhere. */
const serverAt = (place: DatabasePlace) => ({
  ...('url' in place ? place : { url: undefined, token: undefined }),
  // What had no answer may have been done.
  fetch: (url: string, init: RequestInit) => fetchOutward('allowlisted', url, init, { mayRepeat: false }),
  waitUntil: (work: Promise<unknown>) => void work.catch(reasonOf),
})
