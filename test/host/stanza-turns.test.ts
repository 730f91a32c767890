// What a session receives is handled in turns: a burst to one session holds up no other, and nothing of it is lost.

import { EventEmitter } from 'node:events'
import { setImmediate as waitForLoop } from 'node:timers/promises'
import { StanzaTurns } from '@msgnet/session-host/driver/baileys/connection/stanza-turns.ts'
import { IntakeTurns } from '@msgnet/session-host/driver/intake-turns.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { startDriver } from './driver.ts'

const KIB = 1024
const MIB = 1024 * KIB
const BURST = 400

type Handle = (name: string) => Promise<unknown>

/** The part of the library's socket that is used, with `handle` in place of the library. */
function openSession(instance: string, turns: IntakeTurns, handle: Handle = () => waitForLoop()) {
  const socket = { isPaused: false, pause: () => setPaused(true), resume: () => setPaused(false) }
  const setPaused = (isPaused: boolean) => {
    socket.isPaused = isPaused
  }
  const ws = Object.assign(new EventEmitter(), { isOpen: true, socket })
  for (const kind of ['message', 'receipt'])
    ws.on(`CB:${kind}`, ({ attrs }: { attrs: { id: string } }) => handle(attrs.id))
  const sock = { ws } as unknown as ConstructorParameters<typeof StanzaTurns>[0]['sock']
  const stanzas = new StanzaTurns({ sock, instance, turns, lease: { runs: true }, log: createSilentLog() })
  onTestFinished(() => stanzas.stop())
  function receive(kind: string, id: string, bytes = 100): void {
    const enc = { tag: 'enc', attrs: {}, content: new Uint8Array(bytes) }
    ws.emit(`CB:${kind}`, { tag: kind, attrs: { id }, content: [enc] })
  }
  return { ws, socket, stanzas, receive }
}

const listNames = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name} ${n}`)

test('of a burst one message is begun at a time, so that the message of another session is next', async () => {
  const begun: string[] = []
  const turns = new IntakeTurns()
  const handle: Handle = (name) => {
    begun.push(name)
    return waitForLoop()
  }
  const flooded = openSession('flooded', turns, handle)
  const other = openSession('other', turns, handle)
  for (const name of listNames('flood', BURST)) flooded.receive('message', name)
  other.receive('message', 'neighbour')
  await until(() => begun.length === BURST + 1)
  expect(begun.indexOf('neighbour')).toBeLessThanOrEqual(1)
  expect(begun.filter((name) => name !== 'neighbour')).toEqual(listNames('flood', BURST))
})

test('between two messages of a burst the event loop serves others', async () => {
  const turns = new IntakeTurns()
  let handled = 0
  const { receive } = openSession('flooded', turns, async () => {
    handled += 1
  })
  for (const name of listNames('flood', BURST)) receive('message', name)
  await waitForLoop()
  expect(handled).toBeLessThan(5)
  await until(() => handled === BURST)
})

test('a message that waits for the network holds up messages, and neither receipts nor responses', async () => {
  const begun: string[] = []
  const response = Promise.withResolvers<void>()
  const { ws, receive } = openSession('one', new IntakeTurns(), (name) => {
    begun.push(name)
    return name === 'first' ? response.promise : Promise.resolve()
  })
  ws.on('TAG:7', () => response.resolve())
  receive('message', 'first')
  receive('message', 'second')
  receive('receipt', 'a receipt')
  await until(() => begun.includes('a receipt'))
  expect(begun).toEqual(['first', 'a receipt'])
  ws.emit('TAG:7', {})
  await until(() => begun.includes('second'))
})

test('an instance beyond the bytes of its minute goes on more slowly, in order, and loses nothing', async () => {
  const begun: string[] = []
  const turns = new IntakeTurns({ costPerMinute: 60_000 * MIB, maxSavedCost: MIB })
  const handle: Handle = async (name) => void begun.push(name)
  const flooded = openSession('flooded', turns, handle)
  const other = openSession('other', turns, handle)
  // Each takes the bytes of fifteen milliseconds.
  for (const name of listNames('flood', 20)) flooded.receive('message', name, 15 * MIB)
  await until(() => begun.length > 3)
  other.receive('message', 'neighbour', 15 * MIB)
  await until(() => begun.length === 21)
  expect(begun.indexOf('neighbour')).toBeLessThan(20)
  expect(begun.filter((name) => name !== 'neighbour')).toEqual(listNames('flood', 20))
  const { incoming } = turns.listWork()
  const slowed = incoming?.listOwners().find(({ owner }) => owner === 'flooded')
  expect(slowed?.refused.cost).toBeGreaterThan(0)
})

test('a socket is not read while megabytes of what it has read wait, unless something waits for a response', async () => {
  const release = Promise.withResolvers<void>()
  const { ws, socket, stanzas, receive } = openSession('one', new IntakeTurns(), () => release.promise)
  let isExpecting = false
  stanzas.setProgress({ isExpecting: () => isExpecting, waitUntilStored: async () => undefined })
  for (const name of listNames('card', 5)) receive('message', name, 800_000)
  expect(socket.isPaused).toBe(false)
  receive('message', 'one more', 800_000)
  expect(socket.isPaused).toBe(true)
  const onResponse = () => undefined
  ws.on('TAG:8', onResponse)
  await until(() => !socket.isPaused)
  ws.off('TAG:8', onResponse)
  await until(() => socket.isPaused)
  isExpecting = true
  await until(() => !socket.isPaused)
  isExpecting = false
  await until(() => socket.isPaused)
  release.resolve()
  await until(() => !socket.isPaused)
})

test('what waits when a socket has ended is dropped, and the next socket of the instance is not held up', async () => {
  const begun: string[] = []
  const turns = new IntakeTurns()
  const handle: Handle = (name) => {
    begun.push(name)
    return name === 'stuck' ? new Promise(() => undefined) : Promise.resolve()
  }
  const first = openSession('one', turns, handle)
  first.receive('message', 'stuck')
  first.receive('message', 'delivered again later')
  const second = openSession('one', turns, handle)
  second.receive('message', 'of the next socket')
  await waitForLoop()
  expect(begun).toEqual(['stuck'])
  first.stanzas.stop()
  await until(() => begun.length === 2)
  expect(begun).toEqual(['stuck', 'of the next socket'])
})

test('a large message is stored before the next one of its session is begun', async () => {
  const begun: string[] = []
  const stored = Promise.withResolvers<void>()
  const { stanzas, receive } = openSession('one', new IntakeTurns(), async (name) => void begun.push(name))
  stanzas.setProgress({ isExpecting: () => false, waitUntilStored: () => stored.promise })
  receive('message', 'small')
  receive('message', 'large', 800_000)
  receive('message', 'next')
  await until(() => begun.length === 2)
  await waitForLoop()
  expect(begun).toEqual(['small', 'large'])
  stored.resolve()
  await until(() => begun.length === 3)
})

test('a session reports a burst from the network whole and in order', async () => {
  const world = await startDriver()
  onTestFinished(() => world.close())
  const [anna, ben] = ['5511300000001', '5511300000002']
  await world.sim('POST', '/phones', { number: ben })
  const texts: string[] = []
  const line = await world.connectInstance(await world.linkPhone(anna), {
    onMessages: async (messages) => void texts.push(...messages.map(({ messageid }) => messageid)),
  })
  await until(() => line.account)
  const { ids } = await world.sim<{ ids: string[] }>('POST', '/messages', {
    from: ben,
    to: anna,
    text: 'one of many',
    count: BURST,
  })
  await until(() => texts.length >= BURST, { within: 60_000 })
  expect(texts).toEqual(ids)
})
