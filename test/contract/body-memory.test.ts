// Bodies in memory are counted, of one token and of all: what would be too much is 429, and files still arrive as they were sent.
// @module-tag slow

import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkDevice } from '../device.ts'
import { until } from '../until.ts'
import { startWorld, type World, withoutEviction } from '../world.ts'

const MIB = 1024 * 1024

let world: World
let device: LinkedDevice
let other: LinkedDevice
let third: LinkedDevice
let friend: string
const open: Socket[] = []
const taken: { end(): void }[] = []

beforeAll(async () => {
  world = await startWorld({ ...withoutEviction, INSTANCE_BODY_MB: '12', BODY_MB: '20' })
  friend = await createPhone(world)
  device = await linkDevice(world, await createDevice(world))
  other = await linkDevice(world, await createDevice(world))
  third = await linkDevice(world, await createDevice(world))
})

afterAll(() => world.close())
afterEach(async () => {
  for (const socket of open.splice(0)) socket.destroy()
  if (taken.length === 0) return
  for (const room of taken.splice(0)) room.end()
  // The gateway has seen that they are gone: the next test finds the memory free.
  for (const { caller } of [device, other])
    await until(async () => (await caller.post('/send/media', '!'.repeat(11 * MIB))).status === 400)
})

/**
 * Begins a body of this size and sends no more than its first bytes, so that its room stays taken until the end of the test. One that
 * is answered begins again: a body of the test's own had the room first, or the gateway waited for the rest for too long.
 */
function takeRoom({ token }: LinkedDevice, size: number): { end(): void } {
  const { hostname, port } = new URL(world.run.baseUrl)
  const head = `POST /send/media HTTP/1.1\r\nhost: x\r\ntoken: ${token}\r\ncontent-type: application/json\r\n`
  let socket: Socket
  let isTaken = true
  const begin = () => {
    socket = connect(Number(port), hostname)
    socket.write(`${head}content-length: ${size}\r\n\r\n{"file":"`)
    socket.once('data', () => socket.destroy())
    socket.once('error', () => undefined)
    socket.once('close', () => isTaken && begin())
  }
  begin()
  const room = {
    end() {
      isTaken = false
      socket.destroy()
    },
  }
  taken.push(room)
  return room
}

const sendMedia = ({ caller }: LinkedDevice, bytes: Buffer, fields: object = {}, headers = {}) =>
  caller.post(
    '/send/media',
    { number: friend, type: 'document', docName: 'x.bin', file: bytes.toString('base64'), ...fields },
    headers,
  )

const createRefusal = (limit: string) => [429, 'rate_limited', limit, '1']
const sendAndRead = async (from: LinkedDevice, size: number) => {
  const { status, body, headers } = await sendMedia(from, Buffer.alloc(size, 7))
  return status === 200 ? [200] : [status, body.error, body.details?.limit, headers.get('retry-after')]
}

test('large bodies over the memory limit of a token are refused; its small ones and those of other tokens are served', async () => {
  takeRoom(device, 9 * MIB)
  await until(async () => `${await sendAndRead(device, 4 * MIB)}` === `${createRefusal('INSTANCE_BODY_MB')}`)
  expect(await sendAndRead(device, MIB)).toEqual([200])
  expect((await device.caller.post('/send/text', { number: friend, text: 'small' })).status).toBe(200)
  expect(await sendAndRead(other, 4 * MIB)).toEqual([200])
})

test('bodies over the memory limit of all tokens are refused', async () => {
  takeRoom(device, 10 * MIB)
  takeRoom(other, 8 * MIB)
  await until(async () => `${await sendAndRead(third, 3 * MIB)}` === `${createRefusal('BODY_MB')}`)
  expect(await sendAndRead(third, MIB)).toEqual([200])
})

test('small bodies are served while large ones of others fill the memory of all', async () => {
  takeRoom(device, 11 * MIB)
  takeRoom(other, 9 * MIB - 100)
  await until(async () => `${await sendAndRead(third, MIB)}` === `${createRefusal('BODY_MB')}`)
  for (let n = 0; n < 10; n++)
    expect((await third.caller.post('/send/text', { number: friend, text: 'x'.repeat(1000) })).status).toBe(
      200,
    )
})

test('a caller that disconnects in the middle of a body frees its memory', async () => {
  const room = takeRoom(device, 11 * MIB)
  await until(async () => (await sendAndRead(device, 4 * MIB))[0] === 429)
  room.end()
  await until(async () => (await sendAndRead(device, 4 * MIB))[0] === 200)
})

test('a body without a length is counted as it arrives', async () => {
  takeRoom(device, 9 * MIB)
  await until(async () => (await sendAndRead(device, 4 * MIB))[0] === 429)
  const file = Buffer.alloc(4 * MIB, 7).toString('base64')
  const body = new Blob([JSON.stringify({ number: friend, type: 'document', file })]).stream()
  const response = await fetch(`${world.run.baseUrl}/send/media`, {
    method: 'POST',
    body,
    duplex: 'half',
    headers: { token: device.token, 'content-type': 'application/json' },
  } as RequestInit)
  expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([
    429,
    'rate_limited',
  ])
})

test('files sent one after another each free their memory', async () => {
  for (let n = 0; n < 6; n++) expect(await sendAndRead(device, 5 * MIB)).toEqual([200])
})

test.each<[string, (base64: string) => string]>([
  ['as base64', (base64) => JSON.stringify(base64)],
  ['as a data URI', (base64) => JSON.stringify(`data:application/x-thing;base64,${base64}`)],
  ['with every slash escaped', (base64) => JSON.stringify(base64).replaceAll('/', '\\/')],
  ['with its plus signs as numbers', (base64) => JSON.stringify(base64).replaceAll('+', '\\u002B')],
  ['in lines', (base64) => JSON.stringify(base64.replace(/.{76}/g, '$&\r\n'))],
])('a large file %s arrives unchanged', async (_, write) => {
  const bytes = Buffer.alloc(3 * MIB + 1)
  for (let at = 0; at < bytes.length; at++) bytes[at] = (at * 31 + (at >> 8)) % 256
  const body = `{"number":"${friend}", "file" : ${write(bytes.toString('base64'))} ,"type":"document"}`
  const key = { 'idempotency-key': crypto.randomUUID() }
  const sent = await device.caller.post('/send/media', body, key)
  expect(sent.status, sent.text).toBe(200)
  const again = await device.caller.post('/send/media', body, key)
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect((await device.caller.post('/send/media', `${body} `, key)).body.error).toBe('idempotency_mismatch')

  const { body: file } = await device.caller.post('/message/download', {
    id: sent.body.messageid,
    return_base64: true,
    return_link: true,
  })
  const hashContent = (content: Buffer) => createHash('sha256').update(content).digest('hex')
  expect(hashContent(Buffer.from(file.base64Data, 'base64'))).toBe(hashContent(bytes))
  const linked = await fetch(file.fileURL)
  expect(hashContent(Buffer.from(await linked.arrayBuffer()))).toBe(hashContent(bytes))
})

test.each<[string, string, string]>([
  ['of no base64', `"${'!'.repeat(MIB)}"`, 'invalid_body'],
  ['with an end in the middle', `"${'AAAA'.repeat(MIB / 4)}A==="`, 'invalid_body'],
  ['of half a group', `"${'AAAA'.repeat(MIB / 4)}AA"`, 'invalid_body'],
  ['with a bare line break', `"${'AAAA'.repeat(MIB / 4)}\n"`, 'invalid_json'],
  ['without an end', `"${'AAAA'.repeat(MIB / 4)}`, 'invalid_json'],
  ['that is an address', `"http://${'a'.repeat(MIB)}/"`, 'invalid_url'],
  ['that is no file of ours', `{"file":"${'AAAA'.repeat(MIB / 4)}"}`, 'invalid_body'],
])('a large text %s is refused with the error of a small one', async (_, file, error) => {
  const response = await device.caller.post(
    '/send/media',
    `{"number":"${friend}","type":"document","file":${file}}`,
  )
  expect([response.status, response.body.error]).toEqual([400, error])
})

test('a refusal is sent before a silent upload times out', async () => {
  const { hostname, port } = new URL(world.run.baseUrl)
  const responses: string[] = []
  const readResponse = (token: string) =>
    new Promise<string>((resolve, reject) => {
      let received = ''
      const socket = connect(Number(port), hostname, () => {
        const head = `POST /send/text HTTP/1.1\r\nhost: x\r\ntoken: ${token}\r\n`
        socket.write(`${head}content-type: application/json\r\ncontent-length: 900000\r\n\r\n{`)
      })
      open.push(socket)
      socket.on('data', (chunk) => {
        received += chunk
        if (!/\r\n\r\n\{.*\}$/s.test(received)) return
        responses.push(received.slice(9, 12))
        resolve(received)
      })
      socket.once('error', reject)
      socket.once('close', () => reject(new Error('no response')))
    })
  const [late, refused] = await Promise.all([readResponse(device.token), readResponse('mgi_nobody')])
  expect(responses).toEqual(['401', '400'])
  expect(refused).toContain('"unauthorized"')
  expect(late).toMatch(/"invalid_body".*did not arrive in time/)
})
