// The counts of events by hour that the edge keeps in memory, on a real file of the database.

import { HourCounter, OVERVIEW_HOURS } from '@msgnet/edge/store/hour-counts.ts'
import { HOUR } from '@msgnet/shared/date-time.ts'
import { expect, test } from 'vitest'
import { insertDeliveries } from '../stored-deliveries.ts'
import { addInstances, openEdgeFile } from './edge-file.ts'

const thisHour = Math.floor(Date.now() / HOUR) * HOUR

/** A store that records which hours were read, with an event in each hour from 23 hours ago to 2 hours ago. */
async function openDay() {
  const { store, database } = await openEdgeFile()
  const write = (sql: string) => database.write([{ sql, args: [] }])
  const addEvent = async (seq: number, at: number, status: string) => {
    await write(`insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status, wanted)
      values ('e${seq}', 'id-00001', ${seq}, 'messages', '', '{}', ${at}, ${at}, 'delivered', 1)`)
    await write(insertDeliveries(`e.id = 'e${seq}'`, { status: `'${status}'` }))
  }
  await database.write([addInstances(1)])
  await write(`insert into webhooks (id, instance_id, position, mode, url, events, ignored_events, enabled, created_at, updated_at, cursor)
    values ('w', 'id-00001', 0, 'own', 'https://a.example/', '["messages"]', '[]', 1, 1, 1, 1000)`)
  for (let ago = 2; ago < OVERVIEW_HOURS; ago++) await addEvent(ago, thisHour - ago * HOUR + 5, 'delivered')
  const hoursRead: number[] = []
  const recorded: typeof store = Object.create(store, {
    readAll: {
      value: (...queries: Parameters<typeof store.readAll>) => {
        for (const { sql, args } of queries.slice(0, 1))
          if (sql.includes('as pending')) hoursRead.push((thisHour - Number(args[0])) / HOUR)
        return store.readAll(...queries)
      },
    },
  })
  return { store: recorded, hoursRead, write, addEvent }
}

test('hours that are over are read ahead, and the overview then reads the last two and one other', async () => {
  const { store, hoursRead } = await openDay()
  const counter = new HourCounter()
  await counter.prepare(store)
  expect(hoursRead.length).toBeGreaterThanOrEqual(OVERVIEW_HOURS - 2)
  hoursRead.length = 0
  const { hours, lastDay } = await counter.countEvents(store)
  expect([hours.length, lastDay]).toEqual([
    OVERVIEW_HOURS,
    { delivered: OVERVIEW_HOURS - 2, unaddressed: 0, pending: 0, dead: 0 },
  ])
  expect(hoursRead).toEqual([23, 1, 0])
})

test('an hour with another number of events, or with one that waits, is read again at once', async () => {
  const { store, write, addEvent, hoursRead } = await openDay()
  const counter = new HourCounter()
  await counter.countEvents(store)
  await addEvent(100, thisHour - 7 * HOUR, 'dead')
  await write("delete from events where id = 'e9'")
  await addEvent(101, thisHour - 12 * HOUR, 'pending')
  expect((await counter.countEvents(store)).lastDay).toMatchObject({ delivered: 21, dead: 1, pending: 1 })
  hoursRead.length = 0
  await write("update deliveries set status = 'delivered' where seq = 101")
  expect((await counter.countEvents(store)).lastDay).toMatchObject({ delivered: 22, dead: 1, pending: 0 })
  expect(hoursRead).toContain(12)
  expect(hoursRead).not.toContain(9)
})

test('a replay in an old hour is counted when that hour has had its turn', async () => {
  const { store, write } = await openDay()
  const counter = new HourCounter()
  await counter.countEvents(store)
  await write("update deliveries set status = 'dead' where seq = 15")
  let turns = 1
  while ((await counter.countEvents(store)).lastDay.dead === 0) turns++
  expect(turns).toBeLessThanOrEqual(OVERVIEW_HOURS)
})
