// Every act that is held before the first byte of its effect, by each way in which its connection can end: nothing is unknown, nothing is
// sent twice, and record, answer, key and event say the same.
// @module-tag slow

import { describe, expect, test } from 'vitest'
import { type LinkedDevice, waitUntilConnected } from '../device.ts'
import { borrowStage, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import { type Held, holdAct } from './endings/hold-act.ts'
import { type PreparationRow, preparations } from './endings/preparation-rows.ts'

const { world, receiver } = await borrowStage({ ACTION_TIMEOUT_MS: '10000' })

const WITHIN = { within: 40_000 }
const named = preparations.map((row) => [row.name, row] as const)

/** Devices at a time: with more, an act would use up its time by itself. */
const MAX_AT_ONCE = 6
const CELL = { timeout: 240_000 }
let underWay = 0
const waiting: (() => void)[] = []

/** Runs one cell of the table, when there is a place. */
async function runCell(row: PreparationRow, work: (held: Held) => Promise<void>): Promise<void> {
  if (underWay >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
  else underWay += 1
  try {
    await work(await holdAct({ world, receiver }, row))
  } finally {
    const next = waiting.shift()
    if (next) next()
    else underWay -= 1
  }
}

const causeFault = (fault: object) => world.sim('POST', '/faults', fault)
const close = ({ number }: LinkedDevice) => causeFault({ kind: 'close', number })

/** A test for each row, which is held when `work` begins. */
function testRows(title: string, work: (row: PreparationRow, held: Held) => Promise<void>): void {
  test.concurrent.each(named)(title, CELL, (_, row) => runCell(row, (held) => work(row, held)))
}

async function expectDone(row: PreparationRow, held: Held): Promise<void> {
  const response = await held.response
  expect(response.status, response.text).toBe(200)
  if (row.isQuestion) return
  await until(async () => (await held.countNewEffects()) >= held.effects, WITHIN)
  if (row.isTracked) await until(async () => ['Sent', 'Delivered'].includes((await held.findRecord()).status))
  expect(await held.countNewEffects()).toBe(held.effects)
}

async function expectRefused(
  row: PreparationRow,
  held: Held,
  [status, error]: readonly [number, string],
): Promise<void> {
  const response = await held.response
  expect([response.status, response.body.error], response.text).toEqual([status, error])
  expect(await held.countNewEffects()).toBe(0)
  if (row.isTracked) expect(await held.findRecord()).toMatchObject({ status: 'Failed', error })
}

async function expectFailedUnawaited(held: Held, error: string): Promise<void> {
  const response = await held.response
  expect(response.body.status).toBe('Pending')
  const { messageid } = response.body
  const { envelope } = await receiver.waitForDelivery(
    ({ EventType, event }) =>
      EventType === 'messages_update' && (event as Seen)?.MessageIDs.includes(messageid),
  )
  expect(envelope).toMatchObject({ state: 'Failed', event: { Type: 'failed', error } })
  expect(await held.findRecord()).toMatchObject({ status: 'Failed', error })
  expect(await held.countNewEffects()).toBe(0)
}

describe('the connection closes and is back', () => {
  testRows('%s goes on over the next connection, and happens once', async (row, held) => {
    await close(held.device)
    await expectDone(row, held)
  })

  testRows('%s goes on after a restart of the instance, and happens once', async (row, held) => {
    expect((await held.device.caller.post('/instance/restart')).status).toBe(200)
    await expectDone(row, held)
  })
})

describe('the connection stays away for longer than the caller waits', () => {
  testRows('%s is 502, and its key is free', async (row, held) => {
    const { id } = await causeFault({ kind: 'unreachable', number: held.device.number })
    await close(held.device)
    if (!row.isAsync) await expectRefused(row, held, [502, 'msgnet_unreachable'])
    await world.sim('DELETE', `/faults/${id}`)
    // By itself the host comes back at a random time, which may be the most of a minute after so many failures.
    await until(async () => (await held.device.caller.post('/instance/connect')).status === 200, WITHIN)
    // It has a minute, in which the connection is back.
    if (row.isAsync) return expectDone(row, held)
    await waitUntilConnected(held.device, WITHIN.within)
    const again = await held.request()
    expect(again.status, again.text).toBe(200)
    expect(again.headers.get('idempotency-replayed')).toBe(null)
    if (!row.isQuestion) await until(async () => (await held.countNewEffects()) === held.effects)
  })
})

describe('the session ends', () => {
  const ended = [409, 'not_connected'] as const
  const expectEnded = (row: PreparationRow, held: Held) =>
    row.isAsync ? expectFailedUnawaited(held, ended[1]) : expectRefused(row, held, ended)

  testRows('%s is 409 when the phone unlinks the device', async (row, held) => {
    await world.sim('POST', `/phones/${held.device.number}/unlink`, {})
    await expectEnded(row, held)
  })

  testRows('%s is 409 when the instance is disconnected', async (row, held) => {
    expect((await held.device.caller.post('/instance/disconnect')).status).toBe(200)
    await expectEnded(row, held)
  })

  testRows('%s is 409 when the instance is deleted', async (row, held) => {
    expect((await held.device.caller.request('DELETE', '/instance', {})).status).toBe(200)
    const response = await held.response
    // It was answered before.
    if (!row.isAsync) expect([response.status, response.body.error], response.text).toEqual([...ended])
    expect(await held.countNewEffects()).toBe(0)
  })
})
