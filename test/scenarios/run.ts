// Runs the table over one driver: a scenario passes, or differs in the way that is written down for it.

import { expect, test } from 'vitest'
import { until } from '../until.ts'
import type { Difference, Scenario, Scene } from './scenario.ts'

/** What is known not to come is not waited for as long as what should. */
const PATIENCE_MS = 1500

export type Differences = Record<string, Difference>

export function runTable(table: Scenario[], scene: () => Scene, differences: Differences) {
  test.each(table)('$about: $name', async (scenario) => {
    const { client, network } = scene()
    await network.endFaults()
    if (!client.isOnline()) await client.login()
    const known = differences[scenario.name]
    if (known === undefined) return scenario.run(scene())
    const untilWithPatience: Scene['until'] = (probe) => until(probe, { within: PATIENCE_MS })
    const difference = await scenario.run({ ...scene(), until: untilWithPatience }).then(
      () => 'none: it passes now, so take its row out of differences.ts',
      (error: unknown) => String(error),
    )
    expect(difference).toContain(known.shows)
  })

  test('no difference is written down for a scenario that there is not', () => {
    const names = table.map(({ name }) => name)
    expect(Object.keys(differences).filter((name) => !names.includes(name))).toEqual([])
  })
}
