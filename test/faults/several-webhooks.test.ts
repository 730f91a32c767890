// An instance with five webhooks, one that hangs, one that wants no more, a slow one and two that are well, under kills of each process.
// @module-tag slow

import { expect, test } from 'vitest'
import { createDice } from '../chaos/dice.ts'
import { killVictim, type Victim } from '../chaos/random-kills.ts'
import { isWebhookClean, startOtherWebhooks } from '../chaos/several-webhooks.ts'
import { startTraffic } from '../chaos/traffic.ts'
import { checkTraffic, isClean } from '../chaos/verdict.ts'
import { createDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld } from '../world.ts'

const EVENTS = ['messages', 'messages_update']
/** What is killed after so many deliveries. A kill leaves one open at each webhook, which then comes twice. */
const kills: [number, Victim][] = [
  [250, 'session host'],
  [500, 'edge'],
  [750, 'all'],
]
const DELIVERIES = 1000
/** Of each of the two that write: faster than the slow webhook, so that it is in the middle of a delivery at each kill. */
const A_SECOND = 30

test('each webhook gets every event once, in order and with the same bytes, whatever is killed and whatever the others do', {
  timeout: 600_000,
  // What may have been lost is not tried again.
  retry: 0,
}, async () => {
  const receiver = await startReceiver()
  const others = await startOtherWebhooks()
  const world = await startWorld({
    WEBHOOK_ALLOWLIST: [receiver.place, ...others.places].join(),
    ACTION_TIMEOUT_MS: '10000',
    LOG_LEVEL: 'warn',
    MEDIA: 'keep',
  })
  try {
    const fresh = await createDevice(world)
    await subscribeReceiver(fresh, receiver, EVENTS)
    await others.addTo(fresh, EVENTS)
    const device = await linkDevice(world, fresh)
    const traffic = await startTraffic(world, [device], createDice(20_261_125), A_SECOND)
    for (const [deliveries, victim] of kills) {
      await until(() => receiver.deliveries.length >= deliveries, { within: 60_000 })
      await killVictim(world, victim)
    }
    await until(() => receiver.deliveries.length >= DELIVERIES, { within: 60_000 })
    await traffic.stop()

    const verdict = await checkTraffic(world, { devices: [device], receiver, traffic, past: 0 })
    const webhooks = await others.check(world, receiver)
    console.table(webhooks)
    expect(verdict).toSatisfy(isClean)
    expect(webhooks.filter((webhook) => !isWebhookClean(webhook))).toEqual([])
    for (const { deliveries } of webhooks.filter(
      ({ webhook }) => webhook !== 'hanging' && webhook !== 'gone',
    ))
      expect(deliveries).toBeGreaterThanOrEqual(DELIVERIES)
    expect(webhooks.find(({ webhook }) => webhook === 'gone')?.deliveries).toBe(1)
  } finally {
    await world.close()
    await receiver.close()
    await others.close()
  }
})
