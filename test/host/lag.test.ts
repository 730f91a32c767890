// What a host reports to the edge about its event loop.

import { setImmediate } from 'node:timers/promises'
import { Metrics } from '@msgnet/session-host/metrics/host-metrics.ts'
import { expect, test } from 'vitest'

test('a heartbeat reports the lag of the event loop since the previous heartbeat', async () => {
  const metrics = new Metrics()
  const blockLoop = () => {
    const end = performance.now() + 200
    while (performance.now() < end);
  }
  // The first late turn is where the monitor begins to measure.
  for (let turn = 0; turn < 3; turn++) {
    blockLoop()
    await setImmediate()
  }
  expect(metrics.measureLag()).toBeGreaterThan(100)
  expect(metrics.measureLag()).toBe(0)
})
