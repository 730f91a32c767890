// The metrics of a host whose store cannot be read: that is when an operator needs them.

import { expect, onTestFinished, test } from 'vitest'
import { breakStore } from '../journey/endings/broken-store.ts'
import { startWorld } from './world.ts'

test('while the store fails, what is read from it has no value, and every other metric is served', async () => {
  const world = await startWorld()
  const readValues = async () => {
    const response = await fetch(`http://127.0.0.1:${world.host.metricsPort}/metrics`)
    expect(response.status).toBe(200)
    const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    return new Map(lines.map((line) => [line.split(/[{ ]/)[0] ?? '', line.split(' ').at(-1)]))
  }
  const before = await readValues()
  expect(before.get('host_store_failed')).toBe('0')
  const mend = breakStore(world.dataDir, ['outbox', 'sessions', 'scheduled', 'stored_media'])
  onTestFinished(async () => {
    mend()
    await world.close()
  })
  // The first scrape finds the fault, the next one shows it.
  await readValues()
  const during = await readValues()
  expect(during.get('host_store_failed')).toBe('1')
  expect([...before.keys()].filter((name) => !during.has(name)).sort()).toEqual([
    'host_instance_gaps',
    'host_media_stored_bytes',
    'host_media_waiting',
    'host_media_waiting_age_seconds',
    'host_outbox_age_seconds',
    'host_outbox_depth',
    'host_scheduled_overdue_seconds',
    'host_scheduled_waiting',
  ])
})
