// What is not sent: frames without a lease, and those that the machine's socket did not take.

import { connect, createServer, type Socket } from 'node:net'
import { Effect } from '@msgnet/session-host/driver/effect.ts'
import { type TrackedRequests, trackRequests } from '@msgnet/session-host/driver/request-tracking.ts'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { type Line, startDriver } from './driver.ts'

const ANNA = '5511330000001'
const BEN = '5511330000002'

test('no frame is sent once the lease is over', async () => {
  const lease = { runs: true }
  const world = await startDriver(undefined, { lease })
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  const instance = await world.linkPhone(ANNA)
  const connectLine = async () => {
    const line = await world.connectInstance(instance)
    await until(() => line.account)
    return line
  }
  const sendText = async ({ connection }: Line, text: string) => {
    const encoded = connection.encode({ kind: 'text', text, mentions: [] })?.encoded ?? new Uint8Array()
    return connection.send(text, `${BEN}@s.msgnet.net`, encoded, AbortSignal.timeout(20_000))
  }
  const line = await connectLine()
  expect(await sendText(line, 'FIRST')).toMatchObject({ kind: 'done' })
  lease.runs = false
  expect((await sendText(line, 'MUTED')).kind).toBe('unknown')
  await line.connection.close()
  lease.runs = true
  expect(await sendText(await connectLine(), 'NEXT')).toMatchObject({ kind: 'done' })
  const { messages } = await world.sim<{ messages: { text: string }[] }>('GET', `/phones/${BEN}/inbox`)
  expect(messages.map(({ text }) => text)).toEqual(['FIRST', 'NEXT'])
  await world.close()
})

test('a connection that was opened during an act reads and writes also after that act has ended', async () => {
  const world = await startDriver()
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  const instance = await world.linkPhone(ANNA)
  const texts: string[] = []
  const act = new Effect(() => undefined)
  const line = await act.run(() =>
    world.connectInstance(instance, {
      onMessages: async (messages) => void texts.push(...messages.map(({ text }) => text)),
    }),
  )
  expect(await act.end()).toBe(false)
  await until(() => line.account)
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'read by no act' })
  await until(() => texts.includes('read by no act'))
  await world.close()
})

test('a message whose socket is reset when it is written has not left, and goes over the next connection', async () => {
  let beforeFrame = (): void => undefined
  const way = await openWay()
  const world = await startDriver(undefined, {
    url: way.url,
    getPendingWrites: () => void beforeFrame(),
  })
  way.target = new URL(world.networkUrl)
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  const instance = await world.linkPhone(ANNA)
  const connectLine = async () => {
    const line = await world.connectInstance(instance)
    await until(() => line.account)
    return line.connection
  }
  const first = await connectLine()
  const requests: TrackedRequests = {
    hasLeft: false,
    effectsLeft: 0,
    lastError: undefined,
    // Its keys are about to be used: the next frame is the message.
    onLeaving: () => {
      beforeFrame = way.reset
    },
    hasFailed: () => false,
  }
  const line = {
    network: first,
    async waitForNetwork() {
      expect(requests.hasLeft).toBe(false)
      requests.onLeaving = () => undefined
      beforeFrame = () => undefined
      line.network = await connectLine()
      return line.network
    },
  }
  const deadline = AbortSignal.timeout(20_000)
  const encoded = first.encode({ kind: 'text', text: 'once', mentions: [] })?.encoded ?? new Uint8Array()
  const network = trackRequests(line, first, requests, deadline)
  expect(await network.send('RESET', `${BEN}@s.msgnet.net`, encoded, deadline)).toMatchObject({
    kind: 'done',
  })
  expect(line.network).not.toBe(first)
  const { messages } = await world.sim<{ messages: { text: string }[] }>('GET', `/phones/${BEN}/inbox`)
  expect(messages.map(({ text }) => text)).toEqual(['once'])
  await world.close()
  way.close()
})

/** A way to the network that a test can reset: the machine knows it at once, and the process at its next turn. */
async function openWay() {
  const sockets = new Set<Socket>()
  const way = {
    url: '',
    target: new URL('ws://127.0.0.1'),
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy()
      sockets.clear()
    },
    close: () => server.close(),
  }
  const server = createServer((near) => {
    const far = connect(Number(way.target.port), way.target.hostname)
    sockets.add(near)
    near.pipe(far).pipe(near)
    near.on('error', () => far.destroy()).on('close', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  way.url = `ws://127.0.0.1:${port}/ws/chat`
  return way
}
