// kill -9 of a host whose acts are held before the first byte of their effect: it is known that nothing was sent.

import { expect, test } from 'vitest'
import { waitUntilReachable } from '../device.ts'
import { holdAct } from '../journey/endings/hold-act.ts'
import { preparations } from '../journey/endings/preparation-rows.ts'
import { type Seen, startStage } from '../scene.ts'
import { until } from '../until.ts'

// A caller waits until the host is back.
const stage = await startStage({ ACTION_TIMEOUT_MS: '50000' })

const rows = preparations.filter(({ hold, isQuestion }) => hold !== 'delay' && !isQuestion)
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
      await until(async () => (await held.countNewEffects()) === 1)
    }),
  )
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
