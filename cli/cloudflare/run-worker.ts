// Runs the worker that wrangler uploads, with the settings of wrangler.toml, under Miniflare, Cloudflare's own simulator.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { Log, LogLevel, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { projectRoot } from '../build/root.ts'
import { readUploadedModules } from '../build/uploaded-worker.ts'
import { Reaper } from '../processes/reaper.ts'

const SCRIPT = 'edge'
const EVICTED_CLASSES = ['HostLink', 'Courier']
/** Cloudflare waits at least ten seconds. */
const EVICT_EVERY_MS = 100
/** Error lines of the runtime about broken connections of callers: any caller can cause as many as it likes. */
const CALLER_FAULT =
  /^workerd\/\S+ error: .*(disconnected:|invalid HTTP chunk size|invalid Content-Length|HTTP protocol error|premature EOF)/i

const { EDGE_HOST, EDGE_PORT, EDGE_METRICS_PORT, EDGE_STATE, EDGE_BINDINGS = '{}', EDGE_EVICTS } = process.env
/** The secrets that `wrangler secret put` would set, and variables that replace those of wrangler.toml. */
const bindings: Record<string, string> = JSON.parse(EDGE_BINDINGS)
const { workerOptions } = unstable_getMiniflareWorkerOptions(join(projectRoot, 'wrangler.toml'))

const options = {
  ...workerOptions,
  name: SCRIPT,
  modules: readUploadedModules(),
  bindings: { ...workerOptions.bindings, ...bindings },
  log: new Log(LogLevel.WARN),
  host: EDGE_HOST,
  port: Number(EDGE_PORT),
  durableObjectsPersist: EDGE_STATE,
  unsafeDirectSockets: [
    { host: bindings.EDGE_METRICS_HOST, port: Number(EDGE_METRICS_PORT), entrypoint: 'Operator' },
  ],
  handleRuntimeStdio(out: Readable, errors: Readable) {
    out.pipe(process.stdout)
    const isCallerFault = createFaultFilter()
    createInterface(errors).on('line', (line) => isCallerFault(line) || console.error(line))
  },
} as ConstructorParameters<typeof Miniflare>[0]

const worker = new Miniflare(options)

// The runtime is a child of this process, and must not outlive it.
const reaper = new Reaper()
const watchRuntime = () => {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
  // They include the reaper itself, which must not be ended first.
  for (const child of children.trim().split(' '))
    if (readFileSync(`/proc/${child}/comm`, 'utf8').startsWith('workerd')) reaper.addPid(Number(child))
}
await worker.ready
watchRuntime()
process.send?.('ready')

/** The cron trigger of wrangler.toml, which Miniflare does not call by itself; and one at the start. */
async function runCron(): Promise<void> {
  const edge = await worker.getWorker(SCRIPT)
  await edge.scheduled({ cron: '* * * * *' })
}
const triggerCron = () => void runCron().catch((error) => console.error(`no tick: ${error}`))
triggerCron()
const cron = setInterval(triggerCron, MINUTE)

const eviction = EDGE_EVICTS === 'on' ? startEviction() : undefined

let stopping = false
async function stopWorker(): Promise<void> {
  if (stopping) return
  stopping = true
  clearInterval(cron)
  await eviction?.stop()
  await worker.dispose()
  reaper.stop()
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(signal, () => void stopWorker())

/** The filter takes the lines one by one, and returns whether a line belongs to such an error. */
function createFaultFilter(): (line: string) => boolean {
  let belongs = false
  return (line) => {
    belongs = line.startsWith('stack: ') ? belongs : CALLER_FAULT.test(line)
    return belongs
  }
}

/**
 * Evicts durable objects from memory, as Cloudflare does with idle objects, while their sockets stay open. Repeats from now on.
 * A busy object stays in memory until it is idle, as on Cloudflare.
 */
function startEviction(): { stop(): Promise<void> } {
  let stopped = false

  async function evictUntilStopped(): Promise<void> {
    while (!stopped) {
      await wait(EVICT_EVERY_MS)
      for (const className of EVICTED_CLASSES)
        for (const id of await worker.listDurableObjectIds(className, SCRIPT))
          await evictObject(className, id)
    }
  }

  const running = evictUntilStopped()
  return {
    stop() {
      stopped = true
      return running
    },
  }
}

async function evictObject(className: string, id: string): Promise<void> {
  try {
    await worker.unsafeEvictDurableObject(SCRIPT, className, { id, webSockets: 'hibernate' })
  } catch (error) {
    if (!String(error).includes('not currently running')) console.error(`failed to evict: ${error}`)
  }
}
