// The messages of a gap come once, in order, though the session host is killed again and again while the phone sends them.
// @module-tag slow

import { join } from 'node:path'
import { createClient } from '@libsql/client'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { DAY, MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice, subscribeReceiver, waitUntilConnected } from '../device.ts'
import { startStage } from '../scene.ts'
import { until } from '../until.ts'

const KILLS = 10
/** Of a chunk: messages of the gap, and older ones. */
const LATE = 10
const OLD = 40

const { world, receiver } = await startStage()

/** As if it had been logged out so long ago; for its next process. */
async function moveLogoutBack(instance: string, ms: number): Promise<void> {
  const database = createClient({ url: `file:${join(world.dataDir, 'host', 'host.db')}` })
  const { rowsAffected } = await database.execute({
    sql: "UPDATE sessions SET coverage = json_set(coverage, '$.until', json_extract(coverage, '$.until') - ?1, '$.since', json_extract(coverage, '$.since') - ?1) WHERE instance = ?2",
    args: [ms, instance],
  })
  database.close()
  expect(rowsAffected).toBe(1)
}

test('the hundred messages of a gap of three days come once and in order through ten kills, and the four hundred older ones do not', {
  timeout: 300_000,
  retry: 0,
}, async () => {
  const device = await linkDevice(world, await createDevice(world))
  const friend = await createPhone(world, 'Friend')
  await subscribeReceiver(device, receiver)
  const readCoverage = async () => (await device.caller.get('/instance/status')).body.coverage
  await until(async () => (await readCoverage()).until > (await readCoverage()).since)
  await device.caller.post('/instance/disconnect')
  const killHost = async () => {
    const victim = world.findPid('session host')
    process.kill(victim, 'SIGKILL')
    await until(() => world.run.parts['session host'] !== victim)
  }
  await moveLogoutBack(device.id, 3 * DAY)
  await killHost()
  const from = (await readCoverage()).until - 3 * DAY
  const newest = Date.now()
  const step = Math.floor((newest - from) / (KILLS * LATE + 1))
  await world.sim('POST', '/phones', { number: device.number, history: [] })
  const { body } = await until(async () => {
    const connected = await device.caller.post('/instance/connect')
    return connected.status === 200 && connected
  })
  await world.sim('POST', `/phones/${device.number}/scan`, { qr: body.pairing.qr })
  await waitUntilConnected(device)

  const readRecovered = async () => (await readCoverage()).gaps[0].recovered
  for (let chunk = 0; chunk < KILLS; chunk += 1) {
    const late = Array.from({ length: LATE }, (_, at) => newest - (chunk * LATE + at) * step)
    const old = Array.from({ length: OLD }, (_, at) => from - MINUTE - (chunk * OLD + at) * SECOND)
    await world.sim('POST', `/phones/${device.number}/history`, {
      type: 'recent',
      order: chunk + 1,
      progress: chunk === KILLS - 1 ? 100 : chunk * LATE,
      chats: [{ with: friend, sentAt: [...late, ...old] }],
    })
    // Every other time it has read the chunk.
    if (chunk % 2 === 1) await until(async () => (await readRecovered()) === (chunk + 1) * LATE)
    await killHost()
  }
  await until(async () => (await readCoverage()).gaps[0].state === 'filled', { within: 60_000 })
  const listLate = () =>
    receiver.deliveries
      .map(
        ({ envelope }) =>
          envelope as unknown as { EventType: string; message: MessageRecord; eventId: string },
      )
      .filter(({ EventType, message }) => EventType === 'messages' && message.late)
  await until(() => new Set(listLate().map(({ eventId }) => eventId)).size >= KILLS * LATE)
  const events = new Map(listLate().map((envelope) => [envelope.eventId, envelope.message]))
  const times = [...events.values()].map(({ messageTimestamp }) => messageTimestamp)
  expect([events.size, new Set([...events.values()].map(({ messageid }) => messageid)).size]).toEqual([
    KILLS * LATE,
    KILLS * LATE,
  ])
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  expect((await readCoverage()).gaps).toMatchObject([{ state: 'filled', recovered: KILLS * LATE }])
  const found = await device.caller.post('/message/find', { limit: 100 })
  expect(found.body).toMatchObject({ returnedMessages: KILLS * LATE, hasMore: false })
  expect(found.body.messages.every(({ late }: MessageRecord) => late)).toBe(true)
})
