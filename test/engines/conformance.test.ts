// What the edge asks of its runtime, on each engine: objects and their sockets, alarms, work after an answer, streams both ways,
// files both ways, outbound requests, the database, and callers that disconnect.

import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDevice, createPhone, type LinkedDevice, linkDevice, subscribeReceiver } from '../device.ts'
import { type FileServer, startFileServer } from '../file-server.ts'
import { type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

const MIB = 1024 * 1024
const file = Buffer.alloc(3 * MIB, 'the quick brown fox ')

describe('the engine', () => {
  let world: World
  let receiver: Receiver
  let files: FileServer
  let device: LinkedDevice
  let friend: string

  beforeAll(async () => {
    receiver = await startReceiver()
    files = await startFileServer()
    world = await startWorld({ WEBHOOK_ALLOWLIST: `${receiver.place},${files.place}` })
    const made = await createDevice(world)
    await subscribeReceiver(made, receiver)
    device = await linkDevice(world, made)
    friend = await createPhone(world)
  })

  afterAll(async () => {
    await world.close()
    await receiver.close()
  })

  const writeText = (text: string) =>
    world.sim('POST', '/messages', { from: friend, to: device.number, text })
  const waitForArrival = (text: string) =>
    receiver.waitForDelivery(({ message }) => (message as { text?: string } | undefined)?.text === text)
  const readInbox = async () =>
    (await world.sim('GET', `/phones/${friend}/inbox`)).messages as { text: string; mediaSha256?: string }[]

  test('passes acts to the host, and its events to the receiver', async () => {
    const sent = await device.caller.post('/send/text', { number: friend, text: 'out' })
    expect(sent.status).toBe(200)
    await writeText('in')
    await waitForArrival('in')
    expect((await readInbox()).map(({ text }) => text)).toContain('out')
  })

  test('streams events as they come, until the reader disconnects', async () => {
    const leaving = new AbortController()
    const stream = await fetch(`${world.run.baseUrl}/v1/events/stream`, {
      headers: { token: device.token },
      signal: leaving.signal,
    })
    await writeText('streamed')
    let read = ''
    for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
      read += Buffer.from(chunk).toString()
      if (read.includes('streamed')) break
    }
    leaving.abort()
    expect(read).toMatch(/id: \d+\ndata: \{.*streamed/)
  })

  test('sends a file from a body and a file from a URL, and returns the bytes of a file', async () => {
    const inBody = { number: friend, type: 'document', file: file.toString('base64'), docName: 'a.bin' }
    const byUrl = { ...inBody, file: files.serveFile('/b.bin', file, 'application/pdf') }
    for (const body of [inBody, byUrl]) {
      const sent = await device.caller.post('/send/media', body)
      expect([sent.status, sent.text]).toEqual([200, expect.any(String)])
      const got = await device.caller.post('/message/download', { id: sent.body.id, return_link: true })
      const bytes = Buffer.from(await (await fetch(got.body.fileURL)).arrayBuffer())
      expect(bytes.equals(file)).toBe(true)
    }
    const digest = createHash('sha256').update(file).digest('hex')
    expect((await readInbox()).filter(({ mediaSha256 }) => mediaSha256 === digest)).toHaveLength(2)
  })

  test('retries a delivery by an alarm', async () => {
    receiver.status = 503
    receiver.runAtNext(() => {
      receiver.status = 200
    })
    await writeText('refused once')
    const listAttempts = () => receiver.deliveries.filter(({ body }) => body.includes('refused once'))
    await until(() => listAttempts().length === 2, { within: 20_000 })
    expect(listAttempts()[0]?.headers['webhook-id']).toBe(listAttempts()[1]?.headers['webhook-id'])
  })

  test('continues the work of a request whose caller has disconnected', async () => {
    const leaving = new AbortController()
    await world.sim('POST', '/faults', { kind: 'slow', ms: 300, number: device.number, count: 1 })
    const sending = fetch(`${world.run.baseUrl}/send/text`, {
      method: 'POST',
      headers: { token: device.token, 'content-type': 'application/json', 'idempotency-key': 'left' },
      body: JSON.stringify({ number: friend, text: 'left alone' }),
      signal: leaving.signal,
    }).catch(() => undefined)
    await until(
      async () =>
        (await world.queryDatabase("select 1 from idempotency_keys where key = 'left'")).length === 1,
    )
    leaving.abort()
    await sending
    await until(async () => (await readInbox()).some(({ text }) => text === 'left alone'))
    const again = await until(async () => {
      const response = await device.caller.request(
        'POST',
        '/send/text',
        { number: friend, text: 'left alone' },
        { 'idempotency-key': 'left' },
      )
      return response.status === 200 && response
    })
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect((await readInbox()).filter(({ text }) => text === 'left alone')).toHaveLength(1)
  })

  test('reaches no address that is not public, and follows no redirect', async () => {
    const refused = await device.caller.post('/send/media', {
      number: friend,
      type: 'document',
      file: 'https://127.0.0.1:9464/metrics',
    })
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_url'])
    const redirected = await device.caller.post('/send/media', {
      number: friend,
      type: 'document',
      file: `http://${files.place}/away`,
    })
    expect([redirected.status, redirected.body.error]).toEqual([502, 'media_unavailable'])
  })

  test('lists instances, refuses wrong requests, and is ready', async () => {
    expect((await world.admin.get('/instance/all')).body).toHaveLength(1)
    expect((await device.caller.post('/send/text', { number: friend })).status).toBe(400)
    expect((await world.admin.get('/health/ready')).body).toEqual({ status: 'ready' })
    expect(await (await fetch(`${world.run.edgeMetricsUrl}/metrics`)).text()).toContain(
      'edge_delivery_attempts_total{result="delivered"}',
    )
  })

  test('loses nothing when it is killed and started again', async () => {
    process.kill(world.findPid('edge'), 'SIGKILL')
    await writeText('while it was dead')
    await waitForArrival('while it was dead')
    const sent = await until(
      async () => {
        const response = await device.caller.post('/send/text', { number: friend, text: 'after it died' })
        return response.status === 200 && response
      },
      { within: 20_000 },
    )
    expect(['Sent', 'Delivered']).toContain(sent.body.status)
  })
})
