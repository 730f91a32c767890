// What reads cost, with a thousand instances.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Cost, costOf, type Row } from './cost.ts'
import type { CostStage } from './cost-stage.ts'

interface Read {
  what: string
  count: number
  atOnce: number
  path: string
  headers(stage: CostStage, n: number): Record<string, string>
  /** To be reached, in milliseconds. */
  ms: number
}

// Of one instance after another: what is asked for at the same moment by several is read once.
const asInstance: Read['headers'] = ({ devices }, n) => ({ token: devices[n % devices.length]?.token ?? '' })
const asAdmin: Read['headers'] = ({ world }) => ({
  admintoken: readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim(),
})
const status = { path: '/instance/status', headers: asInstance }

const rowOf = (read: Read): Row => ({ what: read.what, measure: (stage) => costOfRead(stage, read) })

/** Without anything behind it: what a request costs at least. */
export const live = rowOf({
  ...{ what: 'live, 32 at once', count: 4000, atOnce: 32, ms: 0.1 },
  ...{ path: '/health/live', headers: () => ({}) },
})

export const reads: readonly Row[] = [
  rowOf({ what: 'status, 32 at once', count: 3000, atOnce: 32, ms: 0.2, ...status }),
  rowOf({ what: 'status, one at a time', count: 500, atOnce: 1, ms: 0.3, ...status }),
  rowOf({
    ...{ what: 'list of 1,000, 8 at once', count: 200, atOnce: 8, ms: 2 },
    ...{ path: '/instance/all', headers: asAdmin },
  }),
]

async function costOfRead(stage: CostStage, { count, atOnce, path, headers, ms }: Read): Promise<Cost> {
  await stage.thousand()
  let next = 0
  const one = async () => {
    while (next < count)
      await (await fetch(stage.world.run.baseUrl + path, { headers: headers(stage, next++) })).arrayBuffer()
  }
  const cost = await costOf(stage, count, async () => {
    await Promise.all(Array.from({ length: atOnce }, one))
  })
  return { ...cost, reach: { ms } }
}
