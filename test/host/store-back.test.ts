// A host whose store failed when it was to bring a session back, or to delete it: once the store is back, so is the session, whole.
// @module-tag slow

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import type { Report } from '@msgnet/shared/wire/host-reports.ts'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../until.ts'
import { KIND, startWorld, type World } from './world.ts'

const ANNA = '5511600000001'
const BEN = '5511600000002'
let world: World
/** The lines of the host's log. */
let lines: string[]

beforeEach(async () => {
  lines = []
  world = await startWorld({}, pino({ level: 'error' }, { write: (line: string) => void lines.push(line) }))
  await world.createPhone(BEN)
})
afterEach(() => world.close())

async function queryStore(sql: string): Promise<void> {
  const client = createClient({ url: pathToFileURL(join(world.dataDir, 'host', 'host.db')).href })
  await client.execute(sql)
  client.close()
}
const hideTable = (name: string) => queryStore(`ALTER TABLE ${name} RENAME TO hidden`)
const showTable = (name: string) => queryStore(`ALTER TABLE hidden RENAME TO ${name}`)
const waitForFailure = (words: string) => until(() => lines.some((line) => line.includes(words)))

test('a session that could not be read when it was assigned is connected when the store is back', async () => {
  const instance = await world.linkPhone(ANNA)
  await hideTable('gaps')
  world.edge.sendFrames({ t: 'hold', sessions: [{ instance, epoch: 2, kind: 'msgnet' }] })
  await waitForFailure('failed to')
  await showTable('gaps')
  const isBack = (report: Report) =>
    report.t === 'state' && report.instance === instance && report.epoch === 2 && report.state.loggedIn
  await until(() => world.edge.reports.some(isBack))
})

test('a session that could not be read at the start of its host is connected when the store is back', async () => {
  const instance = await world.linkPhone(ANNA)
  await hideTable('lost_messages')
  // Its lease is over, and the next one brings all sessions back.
  world.clock.standStill(MINUTE)
  await waitForFailure('failed to resume session')
  const before = world.edge.reports.length
  await showTable('lost_messages')
  const isBack = (report: Report) =>
    report.t === 'state' && report.instance === instance && report.state.loggedIn
  await until(() => world.edge.reports.slice(before).some(isBack))
})

test('a pairing whose end could not be stored when its host had a lease again is ended when the store is back', async () => {
  const instance = crypto.randomUUID()
  await world.edge.performAction(instance, 'session.connect', KIND)
  await hideTable('outbox')
  // Its lease is over, and a pairing ends with it.
  world.clock.standStill(MINUTE)
  await waitForFailure('failed to resume session')
  await showTable('outbox')
  const ended = await until(() =>
    world.edge.listStates(instance).find(({ status }) => status === 'disconnected'),
  )
  expect(ended.lastDisconnectReason).toBe('pairing_expired')
})

test('a session that could not be deleted reports what it cannot read, as before', async () => {
  const instance = await world.linkPhone(ANNA)
  await hideTable('credentials')
  // The network does not confirm that the device is unlinked.
  await world.sim('POST', '/faults', {
    kind: 'refuse',
    code: 500,
    number: ANNA,
    tag: 'remove-companion-device',
  })
  const deleted = await world.edge.performAction(instance, 'session.delete', {})
  expect(deleted).toMatchObject({ kind: 'refused', fault: 'storage_unavailable' })
  await world.sim('DELETE', '/faults')
  await showTable('credentials')
  expect(await world.edge.performAction(instance, 'session.restart', KIND)).toMatchObject({
    kind: 'done',
    result: { loggedIn: true },
  })
  await world.sim('POST', '/faults', { kind: 'garble', number: ANNA, count: 20 })
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'hello' })
  await until(() => world.edge.listEvents(instance, 'undecryptable').length === 1)
})

test.each(['session.delete', 'session.disconnect'] as const)(
  'a session receives as before when %s was refused for want of the store',
  async (action) => {
    const instance = await world.linkPhone(ANNA)
    await hideTable('credentials')
    await world.sim('POST', '/faults', {
      kind: 'refuse',
      code: 500,
      number: ANNA,
      tag: 'remove-companion-device',
    })
    const ended = await world.edge.performAction(instance, action, {})
    expect(ended).toMatchObject({ kind: 'refused', fault: 'storage_unavailable' })
    await world.sim('DELETE', '/faults')
    await showTable('credentials')
    await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'hello' })
    await until(() => world.edge.listEvents(instance, 'messages').length === 1)
  },
)
