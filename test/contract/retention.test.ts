// How long what ages is kept: as many days as the operator has said, for events and for the audit log; thirty for uploaded files.

import { readConfig } from '@msgnet/session-host/config.ts'
import { DAY } from '@msgnet/shared/date-time.ts'
import { expect, test } from 'vitest'
import { createDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld } from '../world.ts'

test('events and audit entries are deleted after the operator’s number of days, uploaded files after thirty', async () => {
  const world = await startWorld({ KEEP_EVENTS_DAYS: '3', KEEP_AUDIT_DAYS: '9' })
  try {
    const device = await createDevice(world)
    const daysAgo = (days: number) => Date.now() - days * DAY
    const insertEvent = (seq: number, days: number) =>
      world.queryDatabase(`insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted)
        values ('${crypto.randomUUID()}', '${device.id}', ${seq}, 'connection', '', '{}', 1, ${daysAgo(days)}, 'delivered', 0)`)
    const insertEntry = (target: string, days: number) =>
      world.queryDatabase(`insert into audit (at, action, actor, actor_id, actor_name, target, address, request_id, outcome)
        values (${daysAgo(days)}, 'host.drain', 'root', '', '', '${target}', '', '', 'done')`)
    await insertEvent(1001, 4)
    await insertEvent(1002, 2)
    await insertEntry('old', 10)
    await insertEntry('young', 8)
    const insertUpload = (id: string, days: number, complete: 0 | 1) =>
      world.queryDatabase(`insert into uploaded_files (id, instance_id, mimetype, file_name, size, sha256, created_at, complete)
        values ('${id}', '${device.id}', 'image/png', '', 1, '', ${daysAgo(days)}, ${complete})`)
    await insertUpload('old', 31, 1)
    await insertUpload('broken off', 1, 0)
    await insertUpload('young', 29, 1)
    const listStored = async () => ({
      seqs: (await world.queryDatabase('select seq from events where seq > 1000')).map(({ seq }) => seq),
      targets: (await world.queryDatabase(`select target from audit where action = 'host.drain'`)).map(
        ({ target }) => target,
      ),
      uploads: (await world.queryDatabase('select id from uploaded_files')).map(({ id }) => id),
    })
    await fetch(`${world.run.edgeMetricsUrl}/tick`, { method: 'POST' })
    await until(async () => !(await listStored()).targets.includes('old'))
    expect(await listStored()).toEqual({ seqs: [1002], targets: ['young'], uploads: ['young'] })
  } finally {
    await world.close()
  }
})

test('a host gets its number of days too', () => {
  const env = {
    EDGE_URL: 'http://127.0.0.1:1',
    HOST_TOKEN: `mgh_${'x'.repeat(43)}`,
    NETWORK: 'live',
    HOST_SEAL_KEYS: `k1:${Buffer.alloc(32).toString('base64')}`,
  }
  expect(readConfig(env).messageRetentionDays).toBe(30)
  expect(readConfig({ ...env, KEEP_MESSAGES_DAYS: '7' }).messageRetentionDays).toBe(7)
  expect(() => readConfig({ ...env, KEEP_MESSAGES_DAYS: '0' })).toThrow('KEEP_MESSAGES_DAYS must be')
})
