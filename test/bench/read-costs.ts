// What reads cost, with a thousand instances.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { World } from '../world.ts'
import { type Cost, costOf } from './cost.ts'

const INSTANCES = 1000

/** `tokens`: of the instances that are there already. */
export async function readCosts(world: World, tokens: string[]): Promise<Cost[]> {
  for (let n = tokens.length; n < INSTANCES; n++)
    await world.admin.post('/instance/init', { name: `Idle ${n}` })
  const { baseUrl } = world.run
  const admintoken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
  const repeated = async (
    what: string,
    [count, atOnce]: [number, number],
    path: string,
    headers: (n: number) => Record<string, string>,
    ms: number,
  ): Promise<Cost> => {
    let next = 0
    const one = async () => {
      while (next < count) await (await fetch(baseUrl + path, { headers: headers(next++) })).arrayBuffer()
    }
    const cost = await costOf(world, what, count, async () => {
      await Promise.all(Array.from({ length: atOnce }, one))
    })
    return { ...cost, reach: { ms } }
  }
  // Of one instance after another: what is asked for at the same moment by several is read once.
  const token = (n: number) => ({ token: tokens[n % tokens.length] ?? '' })
  return [
    await repeated('live, 32 at once', [4000, 32], '/health/live', () => ({}), 0.1),
    await repeated('status, 32 at once', [3000, 32], '/instance/status', token, 0.4),
    await repeated('status, one at a time', [500, 1], '/instance/status', token, 1),
    await repeated('list of 1,000, 8 at once', [200, 8], '/instance/all', () => ({ admintoken }), 3),
  ]
}
