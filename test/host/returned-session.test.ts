// A session that the edge wants to be given up, and gives back before it is.

import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Report } from '@msgnet/shared/wire/host-reports.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../until.ts'
import { createTextInput, startWorld, type World } from './world.ts'

let world: World
const ANNA = '5511600000001'
const BEN = '5511600000002'
const TO_BEN = `${BEN}@s.msgnet.net`

beforeEach(async () => {
  world = await startWorld()
  await world.createPhone(BEN)
})
afterEach(() => world.close())

const listFrames = (t: string) => world.edge.frames.filter((frame) => frame.t === t)

test('an instance assigned again under a newer epoch during its release stays', async () => {
  const instance = await world.linkPhone(ANNA)
  const accepted = listFrames('accepted').length
  // What is running is waited for before it is given up.
  const slow = world.edge.performAction(instance, 'message.sendText', {
    ...createTextInput(TO_BEN, 'slow'),
    delay: 3 * SECOND,
  })
  await until(() => listFrames('accepted').length > accepted)
  world.edge.sendFrames({ t: 'yield', instances: [instance] })
  world.edge.sendFrames({ t: 'hold', sessions: [{ instance, epoch: 2, kind: 'msgnet' }] })
  const isBack = (report: Report) =>
    report.t === 'state' && report.instance === instance && report.epoch === 2 && report.state.loggedIn
  await until(() => world.edge.reports.some(isBack))
  await slow
  const sent = await world.edge.performAction(
    instance,
    'message.sendText',
    createTextInput(TO_BEN, 'after it'),
    { epoch: 2 },
  )
  expect(sent).toMatchObject({ kind: 'done' })
})
