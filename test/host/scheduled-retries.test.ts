// A scheduled message that could not leave is tried again: after a pause that grows, or as soon as its device has connected anew.
// @module-tag slow

import { HOUR, MINUTE } from '@msgnet/shared/date-time.ts'
import { afterAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { createTextInput, startWorld } from './world.ts'

const world = await startWorld({ sendRate: { burst: 100, everyMs: HOUR } })
const { edge, clock } = world
afterAll(() => world.close())

const now = () => Date.now() + clock.now() - performance.now()

test('a message whose attempts failed goes when its device is connected again, not after its pause', async () => {
  const number = '5511680000009'
  const friend = await world.createPhone('5511680000099')
  const instance = await world.linkPhone(number)
  const { messageid, ...input } = createTextInput(`${friend}@s.msgnet.net`, 'back again')
  const sendAt = new Date(now() + HOUR).toISOString()
  const request = { action: 'message.sendText', input, parcel: '', messageid, sendAt } as const
  expect((await edge.performAction(instance, 'message.schedule', request)).kind).toBe('done')
  const countLookups = async () => {
    const { entries } = await world.sim<{ entries: { xmlns?: string }[] }>('GET', `/log?number=${number}`)
    return entries.filter(({ xmlns }) => xmlns === 'usync').length
  }
  const countSent = async () =>
    (await world.sim<{ messages: unknown[] }>('GET', `/phones/${friend}/inbox`)).messages.length
  const refusal = { kind: 'refuse', xmlns: 'usync', number, code: 429 }
  const fault = await world.sim<{ id: string }>('POST', '/faults', refusal)
  for (const jump of [HOUR, ...Array(6).fill(4 * MINUTE)]) {
    const before = await countLookups()
    clock.standStill(jump)
    await until(async () => (await countLookups()) > before)
  }
  const pauseEnds = now() + 2 * MINUTE
  await world.sim('DELETE', `/faults/${fault.id}`)
  await world.sim('POST', '/faults', { kind: 'close', number, count: 1 })
  await until(async () => (await countSent()) === 1)
  expect(now()).toBeLessThan(pauseEnds)
})
