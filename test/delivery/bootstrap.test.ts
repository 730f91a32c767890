// The global webhook of the environment, until another is saved by the API; and what a start deletes.
// @module-tag slow

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SECRET } from '../device.ts'
import { type Receiver, startReceiver, verifyDelivery } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'
import { type Correspondent, createCorrespondent, listTexts, readText } from './gateway.ts'

let world: World
let fromEnvironment: Receiver
let saved: Receiver
let device: Correspondent

beforeAll(async () => {
  ;[fromEnvironment, saved] = await Promise.all([startReceiver(), startReceiver()])
  world = await startWorld({
    WEBHOOK_ALLOWLIST: `${fromEnvironment.place},${saved.place}`,
    GLOBAL_WEBHOOK_URL: fromEnvironment.url,
    GLOBAL_WEBHOOK_EVENTS: 'messages, groups',
    GLOBAL_WEBHOOK_SECRET: SECRET,
  })
  device = await createCorrespondent(world)
})

afterAll(async () => {
  await world.close()
  await Promise.all([fromEnvironment.close(), saved.close()])
})

function countWaitingAtHost(): unknown {
  const store = new DatabaseSync(join(world.dataDir, 'host', 'host.db'), { readOnly: true })
  const row = store.prepare('select count(*) as waiting from outbox').get()
  store.close()
  return row?.waiting
}

const readGlobal = async () => (await world.admin.get('/v1/webhook')).body

test('the webhook of the environment is there from the first start, signs, and is unchanged after a restart', async () => {
  const before = await readGlobal()
  expect(before).toMatchObject({
    registered: true,
    scope: 'server',
    url: fromEnvironment.url,
    events: ['messages', 'groups'],
    hasSecret: true,
    enabled: true,
  })
  await device.receiveText('by the environment')
  await until(() => listTexts(fromEnvironment).includes('by the environment'))
  const delivery = fromEnvironment.deliveries.find((each) => readText(each) === 'by the environment')
  expect(delivery && verifyDelivery(delivery, SECRET)).toBeTruthy()
  // What is still in the host's outbox would come once more, as if it were new.
  await until(() => countWaitingAtHost() === 0)
  await world.queryDatabase(`update events set created_at = 1 where type = 'messages'`)
  await world.killAndRestart()
  expect(await readGlobal()).toEqual(before)
})

test('events are deleted after 30 days', async () => {
  await until(async () => {
    const { events } = (await device.caller.get('/v1/events')).body
    const types = events.map(({ type }: { type: string }) => type)
    return types.includes('connection') && !types.includes('messages')
  })
})

test('a saved webhook replaces that of the environment, after a restart too; and so does a deletion', async () => {
  await world.admin.post('/v1/webhook', { url: saved.url, events: 'messages' })
  await world.killAndRestart()
  expect(await readGlobal()).toMatchObject({ url: saved.url, hasSecret: false })
  await world.admin.post('/v1/webhook', { action: 'delete' })
  await world.killAndRestart()
  expect(await readGlobal()).toEqual({ registered: false, scope: 'server' })
})
