// What encrypts a message is on disk before the message is on its way.

import type { NetworkOutcome } from '@msgnet/session-host/driver/driver.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { type DriverWorld, type Line, startDriver } from './driver.ts'

const ANNA = '5511310000001'
const BEN = '5511310000002'

let world: DriverWorld
let instance: string
let line: Line
/** While it is set, no step of a ratchet can be written. */
let broken = false

beforeAll(async () => {
  world = await startDriver((store) => ({
    ...store,
    async write(instance, changes) {
      if (broken && changes.some(({ kind }) => kind === 'session')) throw new Error('the disk is full')
      return store.write(instance, changes)
    },
  }))
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  instance = await world.linkPhone(ANNA)
  line = await world.connectInstance(instance)
  await until(() => line.account)
})
afterAll(() => world.close())

const sendText = async (id: string): Promise<NetworkOutcome> => {
  const encoded = line.connection.encode({ kind: 'text', text: id, mentions: [] })
  const to = `${BEN}@s.msgnet.net`
  return line.connection.send(id, to, encoded?.encoded ?? new Uint8Array(), AbortSignal.timeout(5000))
}

interface Entry {
  what: string
  id?: string
}
const readLog = async (): Promise<Entry[]> => (await world.sim<{ entries: Entry[] }>('GET', '/log')).entries
const readInbox = async () =>
  (await world.sim<{ messages: { text: string }[] }>('GET', `/phones/${BEN}/inbox`)).messages.map(
    ({ text }) => text,
  )

test('a message whose key could not be stored is not sent, and later messages on the next socket are readable', async () => {
  const to = `${BEN}@s.msgnet.net`
  await line.connection.findAccount(to, AbortSignal.timeout(5000))
  expect(await sendText('FIRST')).toMatchObject({ kind: 'done' })
  broken = true
  expect((await sendText('UNSAVED')).kind).not.toBe('done')
  await until(() => line.closed)
  broken = false
  expect((await readLog()).filter(({ what, id }) => what === 'message' && id === 'UNSAVED')).toEqual([])
  line = await world.connectInstance(instance)
  await until(() => line.account)
  expect(await sendText('NEXT')).toMatchObject({ kind: 'done' })
  expect(await readInbox()).toEqual(['FIRST', 'NEXT'])
})
