// What a host tells the edge of its event loop.

import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { makeMetrics } from '../../session-host/metrics.ts'

test('a beat tells how late the event loop was since the beat before, not since the start', async () => {
  const metrics = makeMetrics()
  const blocked = () => {
    const end = performance.now() + 200
    while (performance.now() < end);
  }
  // The first late turn is where the monitor begins to measure.
  for (let turn = 0; turn < 3; turn++) {
    blocked()
    await setImmediate()
  }
  expect(metrics.takeLag()).toBeGreaterThan(100)
  expect(metrics.takeLag()).toBe(0)
})
