// Labels that the network chooses have a bound.

import { createNetworkMetrics } from '@msgnet/session-host/metrics/network-metrics.ts'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'

test('names beyond twenty of a kind are counted as one, and each name is new once', async () => {
  const registry = new Registry()
  const { countUnknownWord } = createNetworkMetrics(registry)
  const names = Array.from({ length: 30 }, (_, n) => `word-${n}`)
  const fresh = [...names, ...names].map((name) => countUnknownWord('ib', name))
  expect(fresh.filter(Boolean)).toEqual([...names.slice(0, 20), 'other'])
  expect(countUnknownWord('nack', 'word-29')).toBe('word-29')
  expect(countUnknownWord('nack', 'a\n"name"')).toBe('other')
  const text = await registry.metrics()
  expect(text).toContain('host_network_unknown_total{kind="ib",name="other"} 20')
  expect(text.split('\n').filter((line) => line.startsWith('host_network_unknown_total{'))).toHaveLength(23)
})
