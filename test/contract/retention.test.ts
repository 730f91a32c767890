// How long what ages is kept: as many days as the operator has said, for events and for the audit log.

import { expect, test } from 'vitest'
import { readConfig } from '../../session-host/config.ts'
import { DAY } from '../../shared/clock.ts'
import { makeDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld } from '../world.ts'

test('events and entries of the audit log go when the days are over that the operator has said', async () => {
  const world = await startWorld({ KEEP_EVENTS_DAYS: '3', KEEP_AUDIT_DAYS: '9' })
  try {
    const device = await makeDevice(world)
    const aged = (days: number) => Date.now() - days * DAY
    const event = (seq: number, days: number) =>
      world.database(`insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status)
        values ('${crypto.randomUUID()}', '${device.id}', ${seq}, 'connection', '', '{}', 1, ${aged(days)}, 'delivered')`)
    const entry = (target: string, days: number) =>
      world.database(`insert into audit (at, action, actor, actor_id, actor_name, target, address, request_id, outcome)
        values (${aged(days)}, 'host.drain', 'root', '', '', '${target}', '', '', 'done')`)
    await event(1001, 4)
    await event(1002, 2)
    await entry('old', 10)
    await entry('young', 8)
    const kept = async () => ({
      seqs: (await world.database('select seq from events where seq > 1000')).map(({ seq }) => seq),
      targets: (await world.database(`select target from audit where action = 'host.drain'`)).map(
        ({ target }) => target,
      ),
    })
    await fetch(`${world.run.edgeMetricsUrl}/tick`, { method: 'POST' })
    await until(async () => !(await kept()).targets.includes('old'))
    expect(await kept()).toEqual({ seqs: [1002], targets: ['young'] })
  } finally {
    await world.close()
  }
})

test('a host is told its days too', () => {
  const env = {
    ...{ EDGE_URL: 'http://127.0.0.1:1', HOST_TOKEN: `mgh_${'x'.repeat(43)}`, NETWORK: 'live' },
    HOST_SEAL_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
  }
  expect(readConfig(env).messagesDays).toBe(30)
  expect(readConfig({ ...env, KEEP_MESSAGES_DAYS: '7' }).messagesDays).toBe(7)
  expect(() => readConfig({ ...env, KEEP_MESSAGES_DAYS: '0' })).toThrow('KEEP_MESSAGES_DAYS must be')
})
