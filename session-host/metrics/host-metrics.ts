// The metrics for an operator's Prometheus, on a separate listener.

import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isLocalRequest, isLoopback } from '@msgnet/shared/loopback.ts'
import { measureDiskSpace, readLastBackup } from '@msgnet/shared/node/data-folder-metrics.ts'
import { IDLE_CONNECTION_MS } from '@msgnet/shared/node/idle-connections.ts'
import { Counter, collectDefaultMetrics, type Gauge, Histogram, Registry } from 'prom-client'
import type { Log } from '../process/host-log.ts'
import { createNetworkMetrics } from './network-metrics.ts'
import { addReadingGauge } from './reading-gauge.ts'

declare module 'node:perf_hooks' {
  interface EventLoopMonitorOptions {
    /** Not in the types yet. A Node that does not know it measures with a timer. */
    samplePerIteration?: boolean
  }
}

/** The timer of prom-client's own monitor. At its preset of 10 an idle host spends more on it than on fifty sessions. */
const LAG_TIMER_MS = 50

/** Called for each scrape. */
interface Readings {
  listSessions(): { status: string }[]
  countOutbox(): Promise<number>
  findOldestReport(): Promise<number | undefined>
  countGaps(): Promise<Record<string, number>>
  isLinked(): boolean
  isLeased(): boolean
  /** Whether the last call of the store failed. */
  isStoreFailing(): boolean
  written: { readonly commits: number; readonly statements: number; readonly seconds: number }
}

export class Metrics {
  readonly registry = new Registry()
  readonly #registers = [this.registry]

  readonly actions = new Counter({
    name: 'host_actions_total',
    help: 'Acts, by action and outcome.',
    labelNames: ['action', 'outcome'] as const,
    registers: this.#registers,
  })
  readonly reports = new Counter({
    name: 'host_events_total',
    help: 'Events from the network that were committed to the outbox.',
    labelNames: ['type'] as const,
    registers: this.#registers,
  })
  /** In seconds. */
  readonly actionTime = new Histogram({
    name: 'host_action_duration_seconds',
    help: 'Time from the arrival of an act to its outcome.',
    labelNames: ['action', 'outcome'] as const,
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: this.#registers,
  })
  readonly reconnects = new Counter({
    name: 'host_session_reconnects_total',
    help: 'Connections to the network that ended and are opened again, by reason.',
    labelNames: ['reason'] as const,
    registers: this.#registers,
  })
  readonly network = createNetworkMetrics(this.registry)
  /** Without a timer, which would wake the process only to find that nothing is late. */
  readonly #loop = monitorEventLoopDelay({ samplePerIteration: true })
  #lastFrameAt = performance.now()
  #lastAckAt = performance.now()

  constructor() {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LAG_TIMER_MS })
    this.#loop.enable()
  }

  /** A frame arrived from the edge. */
  recordEdgeFrame(): void {
    this.#lastFrameAt = performance.now()
  }

  /** The edge has acknowledged events. */
  recordAck(): void {
    this.#lastAckAt = performance.now()
  }

  /** Milliseconds that the event loop was behind since the last call, at the 99th percentile. */
  measureLag(): number {
    const lag = this.#loop.percentile(99) / 1e6
    this.#loop.reset()
    return lag
  }

  registerReadings({
    listSessions,
    countOutbox,
    findOldestReport,
    countGaps,
    isLinked,
    isLeased,
    isStoreFailing,
    written,
  }: Readings): void {
    this.#registerStore(written, isStoreFailing)
    this.#addGauge('host_sessions', 'Sessions, by state.', (gauge) => {
      for (const state of ['disconnected', 'connecting', 'connected']) {
        gauge.set({ state }, listSessions().filter(({ status }) => status === state).length)
      }
    })
    const help = 'Gaps in the messages of instances that were linked again within the last day, by state.'
    this.#addGauge('host_instance_gaps', help, async (gauge) => {
      for (const [state, gaps] of Object.entries(await countGaps())) gauge.set({ state }, gaps)
    })
    this.#addGauge('host_outbox_depth', 'Reports that the edge has not acknowledged.', async (gauge) =>
      gauge.set(await countOutbox()),
    )
    this.#addGauge(
      'host_outbox_age_seconds',
      'Age of the oldest report that the edge has not acknowledged.',
      async (gauge) => {
        const oldest = await findOldestReport()
        gauge.set(oldest === undefined ? 0 : Math.max(0, (Date.now() - oldest) / 1000))
      },
    )
    this.#addGauge('host_edge_heard_age_seconds', 'Time since the last frame from the edge.', (gauge) =>
      gauge.set((performance.now() - this.#lastFrameAt) / 1000),
    )
    this.#addGauge(
      'host_last_ack_age_seconds',
      'Time since the edge last acknowledged events, or since the start.',
      (gauge) => gauge.set((performance.now() - this.#lastAckAt) / 1000),
    )
    this.#addGauge('host_linked', '1 while the link to the edge is up.', (gauge) =>
      gauge.set(isLinked() ? 1 : 0),
    )
    this.#addGauge('host_leased', '1 while this host may have sessions.', (gauge) =>
      gauge.set(isLeased() ? 1 : 0),
    )
  }

  #registerStore(written: Readings['written'], isFailing: () => boolean): void {
    this.#addCounter('host_store_commits_total', 'Transactions of the store.', () => written.commits)
    this.#addCounter(
      'host_store_statements_total',
      'Statements in the transactions of the store.',
      () => written.statements,
    )
    this.#addCounter(
      'host_store_commit_seconds_total',
      'Time of the transactions of the store.',
      () => written.seconds,
    )
    this.#addGauge(
      'host_store_failed',
      '1 if the store failed and has written nothing since. Metrics that are read from it have no value then.',
      (gauge) => gauge.set(isFailing() ? 1 : 0),
    )
  }

  /**
   * The space on the disk of DATA_DIR, and when its last backup was complete. `ownStore`: the sessions are in this folder. A shared
   * store is backed up on its server.
   */
  registerDataFolder(dataDir: string, { ownStore }: { ownStore: boolean }): void {
    this.#addGauge('host_disk_free_bytes', 'Free space on the disk of DATA_DIR.', async (gauge) => {
      const { freeBytes } = await measureDiskSpace(dataDir)
      gauge.set(freeBytes)
    })
    this.#addGauge('host_disk_size_bytes', 'Size of the disk of DATA_DIR.', async (gauge) => {
      const { sizeBytes } = await measureDiskSpace(dataDir)
      gauge.set(sizeBytes)
    })
    if (ownStore)
      this.#addGauge(
        'host_last_backup_timestamp_seconds',
        'Time at which the last backup was complete; 0 without one.',
        async (gauge) => gauge.set(await readLastBackup(dataDir)),
      )
  }

  #addGauge(name: string, help: string, read: (gauge: Gauge<'state'>) => void | Promise<void>): void {
    addReadingGauge(this.registry, name, help, read)
  }

  #addCounter(name: string, help: string, count: () => number): void {
    new Counter({
      name,
      help,
      registers: this.#registers,
      collect() {
        this.reset()
        this.inc(count())
      },
    })
  }
}

export interface Health {
  status: 'live' | 'storage_failed'
  reason?: string
  linked: boolean
  /** Whether the lease runs. */
  leased: boolean
  sessions: number
}

/** Whether callers can use this host: its process may live without. */
export function checkReadiness({
  status,
  linked,
}: Health): { status: 'ready' } | { status: 'not_ready'; reason: string } {
  if (status === 'storage_failed') return { status: 'not_ready', reason: status }
  return linked ? { status: 'ready' } : { status: 'not_ready', reason: 'not_linked' }
}

/** `GET /metrics`, `GET /health` and `GET /health/ready`; port 0 takes any that is free. */
export async function listenForMetrics(
  { metrics: { registry }, log }: { metrics: Metrics; log: Log },
  health: () => Health,
  at: { port: number; address: string },
) {
  // On another address than loopback it is reached under other names, so the Host header is not checked.
  const isAllowed = ({ headers }: IncomingMessage) =>
    !isLoopback(at.address) || isLocalRequest((name) => headers[name] as string | undefined)
  const server: Server = createServer({ keepAliveTimeout: IDLE_CONNECTION_MS }, async (request, response) => {
    const { method, url } = request
    if (!isAllowed(request)) return response.writeHead(403).end()
    if (method !== 'GET') return response.writeHead(405, { allow: 'GET' }).end()
    if (url === '/health' || url === '/health/ready') {
      const state = url === '/health' ? health() : checkReadiness(health())
      const status = ['live', 'ready'].includes(state.status) ? 200 : 503
      return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(state))
    }
    if (url !== '/metrics') return response.writeHead(404).end()
    // Whatever is wrong with a metric, it must not end the host.
    const text = await registry.metrics().catch((error: unknown) => {
      log.error({ error }, 'failed to read metrics')
      return undefined
    })
    if (text === undefined) return response.writeHead(500).end()
    return response.writeHead(200, { 'content-type': registry.contentType }).end(text)
  })
  const listening = Promise.withResolvers<void>()
  server.once('error', listening.reject)
  server.listen(at.port, at.address, listening.resolve)
  await listening.promise
  return {
    port: (server.address() as AddressInfo).port,
    close(): void {
      server.close()
      server.closeAllConnections()
    },
  }
}
