// Hundreds of requests of one caller at once do not go before those of others.

import { connect } from 'node:net'
import { RequestStarts } from '@msgnet/edge/node/request-starts.ts'
import { expect, onTestFinished, test } from 'vitest'
import { createDevice } from '../device.ts'
import { borrowStage } from '../scene.ts'

const { world } = await borrowStage()

/** So many in one packet of a connection, which may have 32 under way. */
const IN_A_PACKET = 24
const CONNECTIONS = 25

/** Sends them all at once. `first` resolves with the first answer. */
function sendMany(head: string) {
  const { hostname, port } = new URL(world.run.baseUrl)
  const first = Promise.withResolvers<void>()
  let answers = 0
  for (let n = 0; n < CONNECTIONS; n += 1) {
    const socket = connect(Number(port), hostname)
    socket
      .on('error', () => undefined)
      .on('data', (data) => {
        answers += data.toString().split('HTTP/1.1 ').length - 1
        first.resolve()
      })
    socket.write(head.repeat(IN_A_PACKET))
    onTestFinished(() => void socket.destroy())
  }
  return { first: first.promise, countAnswers: () => answers }
}

test.each(['of a known token', 'with a token each that is not known'])(
  'a request is answered before most of hundreds of another caller that came before it, %s',
  async (kind) => {
    const [caller, other] = [await createDevice(world, 'Shop'), await createDevice(world, 'Many')]
    for (const known of [caller, other]) await known.caller.get('/instance/status')
    const token = kind === 'of a known token' ? other.token : `${other.token}x`
    const many = sendMany(`GET /instance/status HTTP/1.1\r\nhost: x\r\ntoken: ${token}\r\n\r\n`)
    await many.first
    const before = many.countAnswers()
    const { status } = await caller.caller.get('/instance/status')
    expect([status, many.countAnswers() - before < (IN_A_PACKET * CONNECTIONS) / 4]).toEqual([200, true])
  },
)

test('a few requests of a caller begin in a turn of the event loop, and those of others beside them', async () => {
  const starts = new RequestStarts()
  for (const credential of ['one', 'two']) starts.remember(credential, `caller ${credential}`)
  const begun: string[] = []
  const begin = async (credential: string) => {
    await starts.waitForStart(credential, '::1')
    begun.push(credential)
  }
  const all = Array.from({ length: 10 }, () => begin('one'))
  all.push(begin('two'), begin('not known'))
  await Promise.resolve()
  expect(begun).toEqual(['one', 'one', 'one', 'one', 'two', 'not known'])
  await Promise.all(all)
  expect(begun).toHaveLength(12)
})

test('what else a caller shows beside its credential gives it no place more', async () => {
  const starts = new RequestStarts()
  const shown = Array.from({ length: 10 }, (_, n) => `made up ${n}`)
  for (const credential of shown) starts.remember(credential, 'one')
  const begun: string[] = []
  const all = shown.map(async (credential) => {
    await starts.waitForStart(credential, '::1')
    begun.push(credential)
  })
  await Promise.resolve()
  expect(begun).toHaveLength(4)
  await Promise.all(all)
})

test('hundreds without a known credential hold up nobody at another address, as one who asks whether the edge is ready', async () => {
  const starts = new RequestStarts()
  const many = Array.from({ length: 10 }, () => starts.waitForStart(undefined, '192.0.2.1'))
  expect(many.filter((start) => start === undefined)).toHaveLength(4)
  expect(starts.waitForStart(undefined, '192.0.2.2')).toBeUndefined()
  await Promise.all(many)
})
