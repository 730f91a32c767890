// No message is lost between its acknowledgement to the network and our disk: the next connection reports it again.
// @module-tag slow

import { setTimeout as wait } from 'node:timers/promises'
import type { NetworkMessage } from '@msgnet/session-host/driver/driver.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { startDriver } from './driver.ts'

const ANNA = '5511300000001'
const BEN = '5511300000002'

test.each(['pn', 'lid'])(
  'a message that was not stored is reported again with all its fields (%s)',
  async (addressing) => {
    const world = await startDriver()
    await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
    const instance = await world.linkPhone(ANNA)

    const first: NetworkMessage[] = []
    // Like a process that dies before its commit: it is never stored.
    const dying = await world.connectInstance(instance, {
      onMessages: (messages) => {
        first.push(...messages)
        return new Promise(() => undefined)
      },
    })
    await until(() => dying.account)
    await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'hold on to me', addressing })
    await until(() => first.length === 1)
    await dying.connection.close()

    const second: NetworkMessage[] = []
    const living = await world.connectInstance(instance, {
      onMessages: async (all) => void second.push(...all),
    })
    await until(() => second.length === 1)
    expect(second).toEqual(first)
    expect(second[0]).toMatchObject({ text: 'hold on to me', senderName: 'Ben' })
    await until(async () => (await world.credentials.readAll(instance, 'received')).size === 0)
    await living.connection.close()

    const third: NetworkMessage[] = []
    const last = await world.connectInstance(instance, { onMessages: async (all) => void third.push(...all) })
    await until(() => last.account)
    await last.connection.close()
    expect(third).toEqual([])
    await world.close()
  },
)

test('a message is stored by the commit that advances the ratchet, also when two devices receive from one person', async () => {
  const commits: { kinds: string[]; of: string | undefined }[] = []
  const world = await startDriver((store) => ({
    ...store,
    async write(instance, changes) {
      const storing = changes.filter(({ value }) => value)
      const kinds = storing.map(({ kind }) => kind)
      const of = storing.find(({ kind }) => kind === 'received')?.id.split(' ')[0]
      if (kinds.includes('received') || kinds.includes('session')) commits.push({ kinds, of })
      await store.write(instance, changes)
    },
  }))
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  const numbers = [ANNA, '5511300000003', '5511300000004']
  const received: string[] = []
  for (const number of numbers) {
    const line = await world.connectInstance(await world.linkPhone(number), {
      onMessages: async (all) => void received.push(...all.map(({ messageid }) => messageid)),
    })
    await until(() => line.account)
  }
  commits.length = 0
  const receipts = await Promise.all(
    numbers.map((to) =>
      world.sim<{ ids: string[] }>('POST', '/messages', { from: BEN, to, text: 'all at once', count: 20 }),
    ),
  )
  await until(() => receipts.every(({ ids }) => ids.every((id) => received.includes(id))))
  expect(commits.filter(({ kinds }) => !(kinds.includes('received') && kinds.includes('session')))).toEqual(
    [],
  )
  // The phone's own message to its new companion, which shares keys with it, may be among them.
  const ids = receipts.flatMap((receipt) => receipt.ids)
  expect(commits.filter(({ of }) => of !== undefined && ids.includes(of))).toHaveLength(60)
  await world.close()
})

test('frames of an ended socket are not handled: the next socket has the keys to itself', async () => {
  const stored: string[] = []
  const gate = Promise.withResolvers<void>()
  let gated = false
  const world = await startDriver((store) => ({
    ...store,
    async write(instance, changes) {
      const rows = changes.filter(({ kind, value }) => kind === 'received' && value)
      stored.push(...rows.map(({ id }) => id.split(' ')[0] ?? ''))
      if (rows.length > 0 && gated) await gate.promise
      await store.write(instance, changes)
    },
  }))
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  const instance = await world.linkPhone(ANNA)
  const received: string[] = []
  const handleMessages = async (all: NetworkMessage[]) =>
    void received.push(...all.map(({ messageid }) => messageid))
  const first = await world.connectInstance(instance, { onMessages: handleMessages })
  await until(() => first.account)
  // The first messages of a companion come from its phone, which shares keys and history with it.
  await until(() => stored.length === 2)
  stored.length = 0
  gated = true
  const message = { from: BEN, to: ANNA, text: 'one of many', count: 12 }
  const { ids } = await world.sim<{ ids: string[] }>('POST', '/messages', message)
  await until(() => stored.length === 1)
  await world.sim('POST', '/faults', { kind: 'close', number: ANNA, code: 503, count: 1 })
  gate.resolve()
  await until(() => first.closed)
  await world.connectInstance(instance, { onMessages: handleMessages })
  await until(() => ids.every((id) => received.includes(id)))
  // The first was worked on for the first socket, all others only for the second, which answers for each of them.
  expect(stored.toSorted()).toEqual(ids.toSorted())
  await until(async () => {
    const { entries } = await world.sim<{ entries: { what: string; ids?: string[] }[] }>(
      'GET',
      `/log?number=${ANNA}`,
    )
    const receipted = entries.flatMap(({ what, ids: of = [] }) => (what === 'receipt' ? of : []))
    return ids.every((id) => receipted.includes(id))
  })
  await world.close()
})

/** The disk is, and the machine may be. */
const slow = { within: 45 * SECOND }

test('no receipt is sent before the commit of its message, also under load', async () => {
  const stored = new Map<string, number>()
  const world = await startDriver((store) => ({
    ...store,
    async write(instance, changes) {
      const rows = changes.filter(({ kind, value }) => kind === 'received' && value)
      // A slow disk, slower for some writes than for others: code that does not wait for it is noticed.
      if (rows.length > 0) await wait(5 + (stored.size % 7) * 10)
      await store.write(instance, changes)
      for (const { id } of rows) stored.set(id.split(' ')[0] ?? '', Date.now())
    },
  }))
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  const instance = await world.linkPhone(ANNA)
  const line = await world.connectInstance(instance)
  await until(() => line.account)
  const ids: string[] = []
  for (const addressing of ['pn', 'lid']) {
    const message = { from: BEN, to: ANNA, text: 'load', addressing, count: 60 }
    ids.push(...(await world.sim<{ ids: string[] }>('POST', '/messages', message)).ids)
  }
  interface Entry {
    what: string
    at: number
    ids?: string[]
  }
  const countReceipts = async () => {
    const { entries } = await world.sim<{ entries: Entry[] }>('GET', `/log?number=${ANNA}`)
    return entries.flatMap(({ what, at, ids: of = [] }) =>
      what === 'receipt' ? of.map((id) => ({ id, at })) : [],
    )
  }
  const found = await until(async () => {
    const all = await countReceipts()
    return ids.every((id) => all.some((receipt) => receipt.id === id)) && all
  }, slow)
  expect(
    found.filter(({ id, at }) => ids.includes(id) && at < (stored.get(id) ?? Number.POSITIVE_INFINITY)),
  ).toEqual([])
  await world.close()
})
