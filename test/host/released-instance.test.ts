// Reports of a host for an instance that another host has by now, or that was deleted.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../until.ts'
import { startWorld, type World } from './world.ts'

let world: World
const ANNA = '5511600000001'
const BEN = '5511600000002'

beforeEach(async () => {
  world = await startWorld()
  await world.createPhone(BEN)
})
afterEach(() => world.close())

const listFrames = (t: string) => world.edge.frames.filter((frame) => frame.t === t)
/** By a beat that is still to come. */
function waitUntilNothingWaits() {
  const before = listFrames('beat').length
  return until(() =>
    listFrames('beat')
      .slice(before)
      .some((frame) => frame.t === 'beat' && frame.outbox === 0),
  )
}

async function queryStore(sql: string) {
  const client = createClient({ url: pathToFileURL(join(world.dataDir, 'host', 'host.db')).href })
  const { rows } = await client.execute(sql)
  client.close()
  return rows
}

/** A linked instance with a message, states and events of its connection that the edge has received and not acknowledged. */
async function storeUndelivered(): Promise<string> {
  const instance = await world.linkPhone(ANNA)
  await waitUntilNothingWaits()
  world.edge.acknowledging = false
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'untold' })
  await until(() => world.edge.listEvents(instance, 'messages').length === 1)
  const connections = world.edge.listEvents(instance, 'connection').length
  await world.sim('POST', '/faults', { kind: 'close', number: ANNA, code: 503, count: 1 })
  await until(() => world.edge.listEvents(instance, 'connection').length > connections)
  return instance
}

/** Breaks the link; answers what of the instance is reported on the next one, as it comes. */
async function linkAgain(instance: string) {
  world.edge.acknowledging = true
  const before = world.edge.reports.length
  const links = listFrames('hello').length
  world.edge.cutLink()
  await until(() => listFrames('hello').length > links)
  return () => world.edge.reports.slice(before).filter((report) => report.instance === instance)
}

test('unacknowledged events are reported after the release of their instance, and its old states are not', async () => {
  const instance = await storeUndelivered()
  const [message] = world.edge.listEvents(instance, 'messages')
  world.edge.release = [instance]
  const reports = await linkAgain(instance)
  await until(() => reports().length > 0)
  await waitUntilNothingWaits()
  expect(reports()).toEqual([message])

  // It has them off its hands, and nothing else of the instance.
  world.edge.release = []
  const again = await linkAgain(instance)
  expect(listFrames('hello').at(-1)).toMatchObject({ sessions: [] })
  const beats = listFrames('beat').length
  await until(() => listFrames('beat').length > beats)
  expect(again()).toEqual([])
})

test('an undecryptable message is reported at the release, also before the time for its repair is over', async () => {
  const instance = await world.linkPhone(ANNA)
  await waitUntilNothingWaits()
  world.edge.acknowledging = false
  await world.sim('POST', '/faults', { kind: 'garble', number: ANNA })
  const { id } = await world.sim<{ id: string }>('POST', '/messages', { from: BEN, to: ANNA, text: 'lost' })
  const countUnreadable = async () => (await queryStore('SELECT 1 FROM undecryptable')).length
  // On a slow machine its time may be over by now, and it waits among the reports.
  await until(
    async () => (await countUnreadable()) > 0 || world.edge.listEvents(instance, 'undecryptable').length > 0,
  )
  world.edge.release = [instance]
  const reports = await linkAgain(instance)
  await until(() => reports().length > 0)
  for (const report of reports())
    expect(report).toMatchObject({ type: 'undecryptable', payload: { event: { messageid: id } } })
})

test('a deleted instance reports no more events', async () => {
  const instance = await storeUndelivered()
  world.edge.gone = [instance]
  const reports = await linkAgain(instance)
  const beats = listFrames('beat').length
  await until(() => listFrames('beat').length > beats)
  await waitUntilNothingWaits()
  expect(reports()).toEqual([])
})
