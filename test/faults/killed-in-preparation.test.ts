// kill -9 of a host whose acts are held before the first byte of their effect: it is known that nothing was sent.
// @module-tag slow

import { expect, test } from 'vitest'
import { waitUntilReachable } from '../device.ts'
import { holdAct } from '../journey/endings/hold-act.ts'
import { preparations } from '../journey/endings/preparation-rows.ts'
import type { RowContext } from '../journey/endings/row.ts'
import { type Seen, startStage } from '../scene.ts'
import { until } from '../until.ts'

// A caller waits until the host is back.
const stage = await startStage({ ACTION_TIMEOUT_MS: '50000' })

const rows = preparations.filter(({ hold, isQuestion }) => hold !== 'delay' && !isQuestion)
/** Texts to a person and to a group, which are sent at a time. */
const dueRows = rows
  .filter(({ name }) =>
    ['a text in the look-up of its keys', 'a message to a group in the look-up of keys'].includes(name),
  )
  .map((row) => ({
    ...row,
    async prepare(ground: RowContext) {
      const act = await row.prepare(ground)
      return { ...act, body: { ...act.body, sendAt: new Date().toISOString() } }
    },
  }))
const unawaited = preparations.find(({ isAsync }) => isAsync)

test('acts of a killed host of which nothing was sent are 502, their messages have failed, and their keys are free', async () => {
  const all = await Promise.all(rows.map(async (row) => ({ row, held: await holdAct(stage, row) })))
  process.kill(stage.world.findPid('session host'), 'SIGKILL')
  await Promise.all(
    all.map(async ({ row, held }) => {
      const response = await held.response
      const answer = [response.status, response.body.error]
      expect(answer, `${row.name}: ${response.text}`).toEqual([502, 'msgnet_unreachable'])
      expect(await held.countNewEffects()).toBe(0)
      if (row.isTracked)
        expect(await until(() => held.findRecord())).toMatchObject({
          status: 'Failed',
          error: 'msgnet_unreachable',
        })
      await waitUntilReachable(held.device)
      const again = await held.request()
      expect(again.status, `${row.name}: ${again.text}`).toBe(200)
      await until(async () => (await held.countNewEffects()) === held.effects)
    }),
  )
}, 120_000)

test('a scheduled message of a killed host of which nothing was sent is sent once by the next one, as if nothing had been', async () => {
  const all = await Promise.all(dueRows.map(async (row) => await holdAct(stage, row)))
  const listScheduled = async ({ device }: (typeof all)[number]) =>
    (await device.caller.get('/v1/scheduled')).body.scheduled
  const ids: string[] = []
  for (const held of all) {
    const { status, messageid } = (await held.response).body
    ids.push(messageid)
    expect(status).toBe('Scheduled')
    expect(await listScheduled(held)).toMatchObject([{ messageid, status: 'Scheduled' }])
    const found = await held.device.caller.post('/message/find', { id: messageid })
    expect(found.body.messages).toEqual([])
    expect((await held.device.caller.request('DELETE', `/v1/scheduled/${messageid}`)).status).toBe(409)
  }
  process.kill(stage.world.findPid('session host'), 'SIGKILL')
  for (const [n, held] of all.entries()) {
    await waitUntilReachable(held.device)
    const listOutcomes = () =>
      stage.receiver.deliveries
        .map(({ envelope }) => envelope as Seen)
        .filter(({ type, event }) => type === 'SendReceipt' && event.MessageIDs[0] === ids[n])
        .map(({ state }) => state)
    await until(() => listOutcomes().length > 0)
    expect(listOutcomes()).toEqual(['Sent'])
    expect(await held.countNewEffects()).toBe(1)
    expect(await listScheduled(held)).toEqual([])
    const found = await held.device.caller.post('/message/find', { id: ids[n] })
    expect(found.body.messages).toMatchObject([{ messageid: ids[n] }])
    expect(found.body.messages[0].status).not.toBe('Failed')
  }
}, 120_000)

test('an unawaited send of a killed host has failed, and that is reported', async () => {
  if (!unawaited) throw new Error('there is no unawaited send')
  const held = await holdAct(stage, unawaited)
  const { messageid } = (await held.response).body
  process.kill(stage.world.findPid('session host'), 'SIGKILL')
  const { envelope } = await stage.receiver.waitForDelivery(
    ({ EventType, event }) =>
      EventType === 'messages_update' && (event as Seen)?.MessageIDs.includes(messageid),
  )
  expect(envelope).toMatchObject({ state: 'Failed', event: { Type: 'failed', error: 'msgnet_unreachable' } })
  await waitUntilReachable(held.device)
  expect(await held.findRecord()).toMatchObject({ status: 'Failed', error: 'msgnet_unreachable' })
  expect(await held.countNewEffects()).toBe(0)
}, 120_000)
