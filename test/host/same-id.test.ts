// Two messages under one id on their way to the disk: each keeps its own words, whatever becomes of the other.

import type { NetworkMessage } from '@msgnet/session-host/driver/driver.ts'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { type DriverWorld, startDriver } from './driver.ts'

const ANNA = '5511300000001'
const BEN = '5511300000002'
const CARL = '5511300000003'

const listRows = async (world: DriverWorld, instance: string, messageid: string) =>
  [...(await world.credentials.readAll(instance, 'received')).keys()].filter((row) =>
    row.startsWith(messageid),
  ).length

test.each(['pn', 'lid'])(
  'a message under the id of an unstored message has its own text, and replaces no other (%s)',
  async (addressing) => {
    const world = await startDriver()
    await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
    await world.sim('POST', '/phones', { number: CARL, name: 'Carl' })
    const instance = await world.linkPhone(ANNA)
    const describeMessage = ({ senderName, text }: NetworkMessage) => `${senderName}: ${text}`

    const first: string[] = []
    // Like a process that dies before its commit: it is never stored.
    const dying = await world.connectInstance(instance, {
      onMessages: (messages) => {
        first.push(...messages.map(describeMessage))
        return new Promise(() => undefined)
      },
    })
    await until(() => dying.account)
    const friendly = { from: BEN, to: ANNA, text: 'from a friend', addressing }
    const { id } = await world.sim<{ id: string }>('POST', '/messages', friendly)
    await until(() => first.length === 1)
    await dying.connection.close()

    const second: string[] = []
    let stored = 0
    const dyingToo = await world.connectInstance(instance, {
      async onMessages(messages) {
        second.push(...messages.map(describeMessage))
        if (messages.some(({ senderName }) => senderName === 'Ben')) await new Promise(() => undefined)
        stored += messages.length
      },
    })
    await until(() => second.length === 1)
    await world.sim('POST', '/messages', { ...friendly, from: CARL, text: 'from a stranger', id })
    await until(() => second.length === 2)
    expect(second).toEqual(['Ben: from a friend', 'Carl: from a stranger'])
    await until(() => stored === 1)
    await until(async () => (await listRows(world, instance, id)) === 1)
    await dyingToo.connection.close()

    const third: string[] = []
    const living = await world.connectInstance(instance, {
      onMessages: async (all) => void third.push(...all.map(describeMessage)),
    })
    await until(() => third.length > 0)
    await until(async () => (await world.credentials.readAll(instance, 'received')).size === 0)
    expect(third).toEqual(['Ben: from a friend'])
    await living.connection.close()
    await world.close()
  },
)

test('a late deletion deletes nothing that arrived since under the same id', async () => {
  const gate = Promise.withResolvers<void>()
  let waiting = 0
  const world = await startDriver((store) => ({
    ...store,
    async deleteLater(...what) {
      waiting += 1
      await gate.promise
      await store.deleteLater(...what)
    },
  }))
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  await world.sim('POST', '/phones', { number: CARL, name: 'Carl' })
  const instance = await world.linkPhone(ANNA)
  const received: string[] = []
  const dying = await world.connectInstance(instance, {
    async onMessages(messages) {
      received.push(...messages.map(({ text }) => text))
      if (messages.some(({ senderName }) => senderName === 'Carl')) await new Promise(() => undefined)
    },
  })
  await until(() => dying.account)
  const { id } = await world.sim<{ id: string }>('POST', '/messages', { from: BEN, to: ANNA, text: 'stored' })
  await until(() => received.includes('stored') && waiting > 0)
  await world.sim('POST', '/messages', { from: CARL, to: ANNA, text: 'not stored', id })
  await until(() => received.includes('not stored'))
  gate.resolve()
  await until(async () => (await listRows(world, instance, id)) <= 1)
  await dying.connection.close()

  const again: string[] = []
  const living = await world.connectInstance(instance, {
    onMessages: async (all) => void again.push(...all.map(({ text }) => text)),
  })
  await until(() => again.length > 0)
  expect(again).toEqual(['not stored'])
  await living.connection.close()
  await world.close()
})

test('a message whose id and name have a NUL in them is restored after a crash, and deleted once it is stored', async () => {
  const world = await startDriver()
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben\0jamin' })
  const instance = await world.linkPhone(ANNA)
  let reported = 0
  const dying = await world.connectInstance(instance, {
    onMessages(messages) {
      reported += messages.length
      return new Promise(() => undefined)
    },
  })
  await until(() => dying.account)
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'hello', id: '3EB0\x0012' })
  await until(() => reported === 1)
  await dying.connection.close()

  const received: NetworkMessage[] = []
  const living = await world.connectInstance(instance, {
    onMessages: async (all) => void received.push(...all),
  })
  await until(() => received.length > 0)
  await until(async () => (await world.credentials.readAll(instance, 'received')).size === 0)
  expect(received).toMatchObject([{ messageid: '3EB012', senderName: 'Benjamin', text: 'hello' }])
  await living.connection.close()
  await world.close()
})
