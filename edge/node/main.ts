// The process of the edge on Node: reads its settings, serves the API and the operator's listener, and stops on a signal.

import { fileURLToPath } from 'node:url'
import { SECOND } from '../../shared/clock.ts'
import type { Settings } from '../env.ts'
import { log, reasonOf } from '../log.ts'
import { type DatabasePlace, makeEnv } from './runtime.ts'
import { closeServer, serveApi, serveOperator } from './server.ts'

const REQUESTS_END_WITHIN = 3 * SECOND

const { env: given } = process
const settings = given as unknown as Settings
const { DATABASE_URL: url = '', DATABASE_TOKEN: token = '' } = given
const place: DatabasePlace = url.startsWith('file:') ? { file: fileURLToPath(url) } : { url, token }
const env = makeEnv(settings, place)
process.on('unhandledRejection', (error) =>
  log(env, 'error', 'a promise nobody waited for failed', { reason: reasonOf(error) }),
)

const api = await serveApi(env, given.EDGE_HOST ?? '127.0.0.1', Number(given.EDGE_PORT))
const operator = await serveOperator(env, '127.0.0.1', Number(given.EDGE_METRICS_PORT))

let isStopping = false
async function stop(): Promise<void> {
  if (isStopping) return
  isStopping = true
  await Promise.all([closeServer(api, REQUESTS_END_WITHIN), closeServer(operator, SECOND)])
  await env.runtime.close()
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT', 'disconnect']) process.once(signal, () => void stop())
