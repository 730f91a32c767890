// The process of the edge on Node: reads its settings, serves the API and the operator's listener, and stops on a signal.

import { fileURLToPath } from 'node:url'
import { SECOND } from '../../shared/clock.ts'
import { openStdout } from '../../shared/node/stdout.ts'
import type { Settings } from '../env.ts'
import { log, reasonOf, toLine, writeLinesBy } from '../log.ts'
import { watchEventLoop } from './event-loop.ts'
import { startMinute } from './minute.ts'
import { readProcess } from './process-readings.ts'
import { type DatabasePlace, makeEnv } from './runtime.ts'
import { serveApi, serveOperator } from './server.ts'

const REQUESTS_END_WITHIN = 3 * SECOND

const { env: given } = process
const settings = given as unknown as Settings

const stdout = openStdout((lines) => toLine('warn', 'log lines were lost', { lines }))
writeLinesBy((line) => stdout.write(`${line}\n`))
captureConsole()
process.on('unhandledRejection', (error) =>
  log(settings, 'error', 'a promise nobody waited for failed', { reason: reasonOf(error) }),
)

// Node itself prints the error and ends the process.
process.on('uncaughtExceptionMonitor', (error) =>
  log(settings, 'error', 'the edge ends by an error', { reason: reasonOf(error) }),
)

const { DATABASE_URL: url = '', DATABASE_TOKEN: token = '', EDGE_METRICS_HOST: metricsHost, DATA_DIR } = given
const place: DatabasePlace = url.startsWith('file:') ? { file: fileURLToPath(url) } : { url, token }
const env = makeEnv(settings, place)

const eventLoop = watchEventLoop()
const api = await serveApi(env, given.EDGE_HOST ?? '127.0.0.1', Number(given.EDGE_PORT))
const operator = await serveOperator(
  ...([env, metricsHost ?? '127.0.0.1', Number(given.EDGE_METRICS_PORT)] as const),
  () => readProcess(env, eventLoop, DATA_DIR),
)
const minute = startMinute(env)
// Whoever started this process hears that it answers.
process.send?.('ready')

/** What libraries print becomes lines of the log: only a text, or the message of an error. */
function captureConsole(): void {
  const print = (level: 'debug' | 'warn') => (first: unknown) =>
    log(settings, level, 'printed', { text: typeof first === 'string' ? first : reasonOf(first) })
  console.log = console.info = console.debug = print('debug')
  console.warn = console.error = print('warn')
}

let isStopping = false
async function stop(why: string): Promise<void> {
  if (isStopping) return
  isStopping = true
  log(settings, 'info', 'stopping', { why })
  env.runtime.endStreams()
  await Promise.all([api.close(REQUESTS_END_WITHIN), operator.close(SECOND), minute.stop()])
  await env.runtime.close()
  await stdout.end()
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(signal, () => void stop(signal))
