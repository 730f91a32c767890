// Runs the worker that wrangler uploads, with the settings of wrangler.toml, under Miniflare, Cloudflare's own simulator.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { Log, LogLevel, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { MINUTE } from '../../shared/date-time.ts'
import { projectRoot } from '../build/root.ts'
import { uploadedWorker } from '../build/uploaded-worker.ts'
import { startReaper } from '../processes/reaper.ts'
import { createFaultFilter } from './caller-faults.ts'
import { startEviction } from './evict.ts'

const SCRIPT = 'edge'

const { EDGE_HOST, EDGE_PORT, EDGE_METRICS_PORT, EDGE_STATE, EDGE_BINDINGS = '{}', EDGE_EVICTS } = process.env
/** The secrets that `wrangler secret put` would set, and variables that replace those of wrangler.toml. */
const bindings: Record<string, string> = JSON.parse(EDGE_BINDINGS)
const { workerOptions } = unstable_getMiniflareWorkerOptions(join(projectRoot, 'wrangler.toml'))

const options = {
  ...workerOptions,
  name: SCRIPT,
  modules: [{ type: 'ESModule', path: 'worker.js', contents: readFileSync(uploadedWorker, 'utf8') }],
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
const reaper = startReaper()
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

const eviction = EDGE_EVICTS === 'on' ? startEviction(worker, SCRIPT) : undefined

let stopping = false
async function stopWorker(): Promise<void> {
  if (stopping) return
  stopping = true
  clearInterval(cron)
  await eviction?.stop()
  await worker.dispose()
  reaper.stopReaper()
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(signal, () => void stopWorker())
