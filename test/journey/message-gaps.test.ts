// A gap in the messages of an account, from its new linking to the last word of its phone: in status, records, lists, the overview and the metric.

import { isDeepStrictEqual } from 'node:util'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice, waitUntilConnected } from '../device.ts'
import { borrowStage } from '../scene.ts'
import { until } from '../until.ts'

const { world } = await borrowStage()

const readTotals = async () => (await world.admin.get('/v1/overview')).body.gaps

async function readGauge(state: string): Promise<number> {
  const text = await (await fetch(`${world.run.metricsUrl}/metrics`)).text()
  return Number(new RegExp(`^host_instance_gaps\\{state="${state}"\\} (\\d+)$`, 'm').exec(text)?.[1])
}

test('a gap is open, then filling, then partial, wherever it is told', { timeout: 8 * MINUTE }, async () => {
  const device = await linkDevice(world, await createDevice(world, 'Linked again'))
  const friend = await createPhone(world, 'Friend')
  const readCoverage = async () => (await device.caller.get('/instance/status')).body.coverage
  await until(async () => (await readCoverage()).until > (await readCoverage()).since)
  await device.caller.post('/instance/disconnect')
  const { until: from } = await readCoverage()
  // The phone's times are whole seconds: one of them must lie in the gap.
  await until(() => Date.now() > from + 3 * SECOND)
  await world.sim('POST', '/phones', { number: device.number, history: [] })
  const { body } = await device.caller.post('/instance/connect')
  await world.sim('POST', `/phones/${device.number}/scan`, { qr: body.pairing.qr })
  await waitUntilConnected(device)

  const sendHistory = (order: number, progress: number) =>
    world.sim('POST', `/phones/${device.number}/history`, {
      type: 'recent',
      order,
      progress,
      chats: [{ with: friend, sentAt: [from + 2 * SECOND] }],
    })
  const steps: [state: 'open' | 'filling' | 'partial', tell: () => unknown][] = [
    ['open', () => undefined],
    ['filling', () => sendHistory(1, 50)],
    ['partial', () => sendHistory(2, 100)],
  ]
  for (const [state, tell] of steps) {
    await tell()
    await until(async () => (await readCoverage()).gaps[0]?.state === state)
    const told = await readCoverage()
    const { body: byId } = await world.admin.get(`/v1/instances/${device.id}`)
    const { body: list } = await world.admin.get('/instance/all')
    const listed = list.find(({ id }: { id: string }) => id === device.id)
    expect([byId.coverage.gaps, listed.coverage.gaps]).toEqual([told.gaps, told.gaps])
    // It is counted anew once in a while only.
    const totals = { open: 0, filling: 0, partial: 0, [state]: 1 }
    await until(async () => isDeepStrictEqual(await readTotals(), totals), { within: 2 * MINUTE })
    expect(await readGauge(state)).toBeGreaterThanOrEqual(1)
  }
})
