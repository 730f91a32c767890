// The process of the edge on Node: reads its settings, serves the API and the operator's listener, and stops on a signal.

import { fileURLToPath } from 'node:url'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { withDeadline } from '@msgnet/shared/deadline.ts'
import { onTimeMoved } from '@msgnet/shared/node/laboratory-time.ts'
import { openStdout } from '@msgnet/shared/node/stdout.ts'
import { describeError, formatLogLine, log, setLogWriter } from '../observability/edge-log.ts'
import { runTick } from '../operator/run-tick.ts'
import { readOfferedTools, type Settings } from '../settings/env.ts'
import { openStore } from '../store/database/open-store.ts'
import { findHourCounter } from '../store/hour-counts.ts'
import { EventLoopMonitor } from './event-loop-monitor.ts'
import { serveApi, startOperatorListener } from './http-server.ts'
import { createEnv, type DatabaseLocation } from './node-runtime.ts'
import { measureProcess } from './process-gauges.ts'

const REQUESTS_TIMEOUT = 3 * SECOND
/** What a tick has not done by then, the next process does. */
const TICK_TIMEOUT = SECOND

const { env: environment } = process
const settings = environment as unknown as Settings

const stdout = openStdout((lines) => formatLogLine('warn', 'log lines dropped', { lines }))
setLogWriter((line) => stdout.write(`${line}\n`))
captureConsole()
process.on('unhandledRejection', (error) => log(settings, 'error', 'unhandled rejection', { error }))

// Node itself prints the error and ends the process.
process.on('uncaughtExceptionMonitor', (error) => log(settings, 'error', 'uncaught exception', { error }))

const {
  DATABASE_URL: url = '',
  DATABASE_TOKEN: token = '',
  EDGE_METRICS_HOST: metricsHost,
  DATA_DIR,
} = environment
const databaseLocation: DatabaseLocation = url.startsWith('file:')
  ? { file: fileURLToPath(url) }
  : { url, token }
const env = createEnv(settings, databaseLocation)

// Now, and not at the first request of it: an upgrade in place replaces the files before this process ends.
if (readOfferedTools(env) !== 'none') await import('../routes/tool-server.ts')

const eventLoop = new EventLoopMonitor()
const api = await serveApi(env, environment.EDGE_HOST ?? '127.0.0.1', Number(environment.EDGE_PORT))
const operator = await startOperatorListener(
  env,
  metricsHost ?? '127.0.0.1',
  Number(environment.EDGE_METRICS_PORT),
  () => measureProcess(env, eventLoop, DATA_DIR),
)
const tickTimer = startTickTimer()
onTimeMoved(async () => {
  env.runtime.onTimeMoved()
  await runTick(env)
})
// The process that started this one waits for this message.
process.send?.('ready')

/** What libraries print becomes lines of the log: only a text, or the message of an error. */
function captureConsole(): void {
  const createPrinter = (level: 'debug' | 'warn') => (first: unknown) =>
    log(settings, level, 'console output', { text: typeof first === 'string' ? first : describeError(first) })
  console.log = console.info = console.debug = createPrinter('debug')
  console.warn = console.error = createPrinter('warn')
}

/** Runs the tick now and then once a minute, as the cron trigger does on Cloudflare. */
function startTickTimer() {
  const running = new Set<Promise<void>>()
  function beginTick(): void {
    const run = runTick(env).then(prepareOverview)
    running.add(run)
    void run.finally(() => running.delete(run))
  }
  // At once, because deliveries may have fallen due while nothing ran.
  beginTick()
  const timer = setInterval(beginTick, MINUTE)
  return {
    /** Waits a moment for ticks that have begun. */
    async stop() {
      clearInterval(timer)
      await withDeadline(Promise.all(running), TICK_TIMEOUT, () => undefined)
    },
  }
}

/** Not on Cloudflare, where the isolate of a tick is not that of the requests. */
async function prepareOverview(): Promise<void> {
  try {
    await findHourCounter(env.runtime).prepare(openStore(env))
  } catch (error) {
    log(settings, 'warn', 'failed to count events of past hours', { error })
  }
}

let isStopping = false
async function stopEdge(reason: string): Promise<void> {
  if (isStopping) return
  isStopping = true
  log(settings, 'info', 'edge stopping', { reason })
  env.runtime.endStreams()
  await Promise.all([api.close(REQUESTS_TIMEOUT), operator.close(SECOND), tickTimer.stop()])
  await env.runtime.close()
  await stdout.end()
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(signal, () => void stopEdge(signal))
