// The runtime of the edge in one Node process: objects of this process, and the database as a file or a libSQL server.

import { createHash, createHmac, createSecretKey } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { createNodeGcm } from '@msgnet/shared/node/gcm.ts'
import { completeEnv } from '../choose-dialect.ts'
import { Courier } from '../delivery/courier.ts'
import { HostLink } from '../hosts/host-link.ts'
import { changeAttachment } from '../hosts/host-socket.ts'
import type { CourierObject, LinkObject } from '../objects/objects.ts'
import { log } from '../observability/edge-log.ts'
import type { SetDeadline } from '../runtime/deadlines.ts'
import type { Database } from '../runtime/query-types.ts'
import type { Cryptography, Encoding, PageName, RequestContext, Runtime } from '../runtime/runtime.ts'
import type { Env, Settings } from '../settings/env.ts'
import { openServer } from '../store/database/server/server-database.ts'
import { decodeBody } from './decode-body.ts'
import { FileDatabase } from './file-database.ts'
import { closeHostSockets, openHostSocket, type UpgradeRequest } from './host-sockets.ts'
import { closeIdleConnections, fetchOutbound } from './outbound.ts'
import { ObjectRegistry } from './process-objects.ts'

export type DatabaseLocation = { file: string } | { url: string; token: string }

export interface NodeEnv extends Env {
  runtime: NodeRuntime
}

export interface NodeContext extends RequestContext {
  /** Set if the connection requests an upgrade; `accepted` once it is a WebSocket. */
  upgrade?: UpgradeRequest & { accepted: boolean }
}

/** In this thread and at once: WebCrypto passes each small piece of work to another thread. */
const nodeCryptography: Cryptography = {
  digest: (data) => createHash('sha256').update(data).digest('hex'),
  createSigner(bytes) {
    const key = createSecretKey(bytes)
    return (signed) => createHmac('sha256', key).update(signed).digest('base64')
  },
  createGcm: createNodeGcm,
}

type Bytes = Uint8Array<ArrayBuffer>

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** `quickly`: as small as gzip makes it, in less time. `well`: for pages, which are compressed once. */
const BROTLI_QUALITY = { quickly: 4, well: 9 }

/** In other threads, so that requests are served meanwhile. */
async function compressBytes(
  bytes: Bytes,
  encoding: Encoding,
  effort: keyof typeof BROTLI_QUALITY,
): Promise<Bytes> {
  if (encoding === 'gzip') return (await compressGzip(bytes)) as Bytes
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[effort],
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  return (await compressBrotli(bytes, { params })) as Bytes
}

export function createEnv(settings: Settings, location: DatabaseLocation): NodeEnv {
  const runtime: NodeRuntime = new NodeRuntime(settings, location, () => env)
  const env: NodeEnv = completeEnv({ ...settings, runtime })
  return env
}

export class NodeRuntime implements Runtime {
  readonly #location: DatabaseLocation
  readonly #file: FileDatabase | undefined
  readonly #links: ObjectRegistry<HostLink>
  readonly #couriers: ObjectRegistry<Courier>
  #pages: Map<string, string> | undefined
  readonly fetch = fetchOutbound
  readonly cryptography = nodeCryptography
  readonly compress = compressBytes
  readonly decodeBody = decodeBody

  /** `getEnv`: of the objects, which are created after this one. */
  constructor(settings: Settings, location: DatabaseLocation, getEnv: () => Env) {
    const onCheckpointError = (error: unknown) =>
      log(settings, 'error', 'failed to write checkpoint', { error })
    this.#location = location
    this.#file = 'file' in location ? new FileDatabase(location.file, onCheckpointError) : undefined
    this.#links = new ObjectRegistry(settings, (state) => new HostLink(state, getEnv()))
    this.#couriers = new ObjectRegistry(settings, (state) => new Courier(state, getEnv()))
  }

  async readPage(name: PageName): Promise<string | undefined> {
    this.#pages ??= readPages()
    return this.#pages.get(name)
  }

  getLink(hostId: string): LinkObject {
    return this.#links.getOrCreate(hostId).object
  }

  getCourier(instanceId: string): CourierObject {
    return this.#couriers.getOrCreate(instanceId).object
  }

  openDatabase(setDeadline: SetDeadline): Database {
    return this.#file ?? openServer(createServerOptions(this.#location), setDeadline)
  }

  async acceptLink(context: RequestContext, id: string, tokenHash: string): Promise<Response> {
    const { upgrade } = context as NodeContext
    if (!upgrade)
      throw new Fault('invalid_body', 'The connection must be upgraded: this route is a WebSocket.')
    upgrade.accepted = true
    openHostSocket(upgrade, this.#links.getOrCreate(id), { id, tokenHash })
    // The connection is the WebSocket's now, so this response is for the log only.
    return new Response(null, { status: 204 })
  }

  /** In a laboratory: deliveries go by the moved time of day, and no host has been silent since the time before. */
  onTimeMoved(): void {
    this.#couriers.resetAlarms()
    for (const { sockets } of this.#links.listEntries())
      for (const socket of sockets) changeAttachment(socket, { receivedAt: Date.now() })
  }

  /** Ends the streams of events, which have no end of their own. */
  endStreams(): void {
    for (const { object } of this.#couriers.listEntries()) object.endStreams()
  }

  /** Ends links, alarms and outgoing connections, and closes the database. */
  async close(): Promise<void> {
    this.#links.stopAlarms()
    this.#couriers.stopAlarms()
    await closeHostSockets(this.#links.listEntries())
    closeIdleConnections()
    await this.#file?.close()
  }
}

/** The operator has named this database, so it may be anywhere. */
const createServerOptions = (location: DatabaseLocation) => ({
  ...('url' in location ? location : { url: undefined, token: undefined }),
  // A request without a response may have been executed.
  fetch: (url: string, init: RequestInit) => fetchOutbound('allowlisted', url, init, { mayRetry: false }),
  // The callers whose calls are in it get its error.
  waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
})

const PAGES = join(import.meta.dirname, '..', '..', '.build', 'pages')

/** All of them at once: a later build may delete what the pages of this one load. */
function readPages(): Map<string, string> {
  const files = readdirSync(PAGES, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [relative(PAGES, path), readFileSync(path, 'utf8')]
    }),
  )
}
