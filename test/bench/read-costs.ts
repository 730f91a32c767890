// What reads cost, with a thousand instances.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cost, measureWork, type Row } from './cost.ts'
import type { CostStage } from './cost-stage.ts'

interface Read {
  what: string
  count: number
  atOnce: number
  path: string
  buildHeaders(stage: CostStage, n: number): Record<string, string>
  /** Changes what is read before each request, by a write whose cost is counted too. */
  change?: (stage: CostStage, n: number) => Promise<unknown>
  /** To be reached, in milliseconds. */
  ms: number
}

// Of one instance after another: what is asked for at the same moment by several is read once.
const createInstanceHeaders: Read['buildHeaders'] = ({ devices }, n) => ({
  token: devices[n % devices.length]?.token ?? '',
})
const createAdminHeaders: Read['buildHeaders'] = ({ world }) => ({
  admintoken: readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim(),
})
const renameInstance: Read['change'] = (stage, n) =>
  fetch(`${stage.world.run.baseUrl}/instance/updateInstanceName`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...createInstanceHeaders(stage, n) },
    body: JSON.stringify({ name: `Name ${n}` }),
  }).then((response) => response.text())
const status = { path: '/instance/status', buildHeaders: createInstanceHeaders }

const createRow = (read: Read): Row => ({ what: read.what, measureCost: (stage) => measureRead(stage, read) })

/** Without anything behind it: what a request costs at least. */
export const live = createRow({
  what: 'live, 32 at once',
  count: 6000,
  atOnce: 32,
  ms: 0.1,
  path: '/health/live',
  buildHeaders: () => ({}),
})

export const reads: readonly Row[] = [
  createRow({ what: 'status, 32 at once', count: 6000, atOnce: 32, ms: 0.2, ...status }),
  createRow({ what: 'status, one at a time', count: 2000, atOnce: 1, ms: 0.3, ...status }),
  createRow({
    what: 'list of 1,000, 8 at once',
    count: 400,
    atOnce: 8,
    ms: 2,
    path: '/instance/all',
    // What compressing it costs is the row below.
    buildHeaders: (...request) => ({ ...createAdminHeaders(...request), 'accept-encoding': 'identity' }),
  }),
  createRow({
    what: 'the same, after a change of a name each',
    count: 200,
    atOnce: 8,
    ms: 10,
    path: '/instance/all',
    change: renameInstance,
    buildHeaders: (...request) => ({ ...createAdminHeaders(...request), 'accept-encoding': 'identity' }),
  }),
  createRow({
    what: 'list of 1,000, compressed',
    count: 200,
    atOnce: 8,
    ms: 5,
    path: '/instance/all',
    buildHeaders: (...request) => ({ ...createAdminHeaders(...request), 'accept-encoding': 'gzip' }),
  }),
]

async function measureRead(
  stage: CostStage,
  { count, atOnce, path, buildHeaders, change, ms }: Read,
): Promise<Cost> {
  await stage.createThousandInstances()
  const sendRequests = async (times: number) => {
    let next = 0
    const runWorker = async () => {
      while (next < times) {
        const n = next++
        await change?.(stage, n)
        const response = await fetch(stage.world.run.baseUrl + path, { headers: buildHeaders(stage, n) })
        await response.arrayBuffer()
      }
    }
    await Promise.all(Array.from({ length: atOnce }, runWorker))
  }
  // The first ones cost more: their code is compiled while they run.
  await sendRequests(count / 10)
  const cost = await measureWork(stage, count, () => sendRequests(count))
  return { ...cost, reach: { ms } }
}
