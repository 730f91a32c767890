// The bridge that feeds a queue, with real servers of RabbitMQ and NATS where this machine has them, and a stand-in for Amazon SQS.
// @module-tag slow

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Correspondent, createCorrespondent } from '../delivery/gateway.ts'
import { subscribeReceiver } from '../device.ts'
import { canRun } from '../optional-programs.ts'
import { createNatsServer } from '../queues/nats-server.ts'
import { createQueueBridge, type QueueBridge } from '../queues/queue-bridge.ts'
import type { QueuedMessage, QueueServer } from '../queues/queue-server.ts'
import { createRabbitmqServer, RABBITMQ, type RabbitmqServer } from '../queues/rabbitmq-server.ts'
import { createSqsServer, type SqsServer } from '../queues/sqs-server.ts'
import { startReceiver } from '../receiver.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

const WITHIN = { within: 60_000 }

/** `drops`: it keeps out what it has seen. `sorts`: it keeps the order of an instance. */
const kinds = [
  {
    kind: 'RabbitMQ',
    missing: existsSync(RABBITMQ) ? '' : 'rabbitmq-server is not on this machine',
    create: createRabbitmqServer,
    drops: false,
    sorts: true,
  },
  {
    kind: 'NATS',
    missing: canRun('nats-server', ['--version']) ? '' : 'nats-server is not on this machine',
    create: createNatsServer,
    drops: true,
    sorts: true,
  },
  { kind: 'SQS FIFO', missing: '', create: () => createSqsServer('events.fifo'), drops: true, sorts: true },
  { kind: 'SQS', missing: '', create: () => createSqsServer('events'), drops: false, sorts: false },
]

const receiver = await startReceiver()
let world: World
const endings: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  world = await startWorld({ WEBHOOK_ALLOWLIST: receiver.place, STREAM_RATE: '0' })
})

afterAll(async () => {
  for (const end of endings) await end()
  await world.close()
  await receiver.close()
})

const asAdmin = () => ({ ADMIN_TOKEN: readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim() })

let bridges = 0
/** With a file of its own. */
function createBridge(env: Record<string, string>): QueueBridge {
  bridges += 1
  const DATABASE = join(world.dataDir, `queue-${bridges}.db`)
  const bridge = createQueueBridge({ GATEWAY: world.run.baseUrl, DATABASE, ...env })
  endings.push(bridge.kill)
  return bridge
}

const parse = ({ body }: QueuedMessage): Seen => JSON.parse(body)
const listTexts = (messages: QueuedMessage[], { id }: Correspondent): string[] =>
  messages
    .map(parse)
    .filter(({ instanceId, message }) => instanceId === id && message?.text)
    .map(({ message }) => message.text)

/** The numbers of an instance's events, each where it came first. */
function listSeqs(messages: QueuedMessage[], { id }: Correspondent): number[] {
  const own = messages.map(parse).filter(({ instanceId }) => instanceId === id)
  return [...new Set(own.map(({ seq }) => seq as number))]
}

/** Every number from the first to the last, in order, if the queue keeps one. */
function expectUnbroken(messages: QueuedMessage[], device: Correspondent, sorts = true): void {
  const came = listSeqs(messages, device)
  const seqs = sorts ? came : came.sort((a, b) => a - b)
  expect(seqs).toEqual(seqs.map((_, at) => (seqs[0] ?? 0) + at))
}

/** How many events of this name there are, doubles counted once. */
function countEvents(messages: QueuedMessage[], { id }: Correspondent, name: string): number {
  const own = messages
    .map(parse)
    .filter(({ EventType, instanceId }) => instanceId === id && EventType === name)
  return new Set(own.map(({ eventId }) => eventId)).size
}

/** All messages of the queue, once so many messages of people are among them. */
const waitForEvents = (server: QueueServer, device: Correspondent, count: number) =>
  until(async () => {
    const messages = await server.readMessages()
    return countEvents(messages, device, 'messages') === count && messages
  }, WITHIN)

describe.each(kinds)('$kind', ({ kind, missing, create, drops, sorts }) => {
  let server: QueueServer

  beforeAll(async () => {
    if (missing) return
    server = await create()
    endings.push(server.close)
    await server.start()
  }, 120_000)

  beforeEach(({ skip }) => {
    if (missing) skip(missing)
  })

  test('each event is in the queue once, in the order of its instance, with the bytes of a webhook', async () => {
    const devices = [await createCorrespondent(world), await createCorrespondent(world)]
    const bridge = createBridge({ ...server.env, ...asAdmin() })
    await bridge.start()
    for (const device of devices) await subscribeReceiver(device, receiver)
    await Promise.all(devices.map((device) => device.receiveText('hello', 30)))
    const messages = await until(async () => {
      const read = await server.readMessages()
      return devices.every((device) => listTexts(read, device).length === 30) && read
    }, WITHIN)
    for (const device of devices) expectUnbroken(messages, device, sorts)
    for (const { id, route, body } of messages) {
      const { EventType, eventId, instanceId } = JSON.parse(body)
      expect([id, route]).toEqual([eventId, `${instanceId}.${EventType}`])
    }
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length)
    const posted = await until(() => {
      const ids = devices.map(({ id }) => id)
      const own = receiver.deliveries.filter(({ envelope }) => ids.includes(envelope.instanceId))
      return own.filter(({ envelope }) => envelope.EventType === 'messages').length === 60 && own
    })
    const bodies = new Map(messages.map(({ id, body }) => [id, body]))
    for (const { headers, body } of posted) expect(bodies.get(headers['webhook-id'] ?? '')).toBe(body)
    expect(await bridge.stop()).toBe(0)
  })

  test('a bridge that is killed loses nothing, and what comes twice has the same id', async () => {
    const device = await createCorrespondent(world)
    const bridge = createBridge({ ...server.env, TOKEN: device.token })
    await bridge.start()
    const countTexts = async () => listTexts(await server.readMessages(), device).length
    for (let round = 0; round < 4; round += 1) {
      const before = await countTexts()
      await device.receiveText(`round ${round}`, 60)
      await until(async () => (await countTexts()) > before, WITHIN)
      await bridge.kill()
      await bridge.start()
    }
    const messages = await waitForEvents(server, device, 240)
    expectUnbroken(messages, device, sorts)
    const own = messages.filter((message) => parse(message).instanceId === device.id)
    const byId = Map.groupBy(own, ({ id }) => id)
    for (const copies of byId.values()) expect(new Set(copies.map(({ body }) => body)).size).toBe(1)
    if (drops) expect(own).toHaveLength(byId.size)
    await bridge.stop()
  }, 120_000)

  test('what happens while the queue is away is in it when it is back', async () => {
    const device = await createCorrespondent(world)
    const bridge = createBridge({ ...server.env, TOKEN: device.token })
    await bridge.start()
    await device.receiveText('before')
    await until(async () => listTexts(await server.readMessages(), device).length === 1, WITHIN)
    await server.kill()
    await device.receiveText('meanwhile', 40)
    await until(() => / is away, next attempt in 2 s/.test(bridge.readOutput()), WITHIN)
    await server.start()
    const messages = await waitForEvents(server, device, 41)
    expectUnbroken(messages, device, sorts)
    await until(() => bridge.readOutput().includes(' is back'))
    await bridge.stop()
  }, 120_000)

  test.each(['strangerEnv', 'missingEnv'] as const)(
    'a queue that refuses ends the bridge with a sentence (%s)',
    async (env) => {
      const bridge = createBridge({ ...server[env], TOKEN: 'mgi_none' })
      expect(await bridge.runToEnd()).toBe(1)
      const output = bridge.readOutput()
      const [name = ''] = kind.split(' ')
      expect(output).toMatch(new RegExp(`^${name} at 127\\.0\\.0\\.1:\\d+\\S* refuses.*\\n$`))
      expect(output).not.toContain('secret')
    },
  )

  if (kind === 'RabbitMQ')
    test('an event for which no queue is bound waits, and those behind it', async () => {
      const { bindQueue, unbindQueue } = server as RabbitmqServer
      const device = await createCorrespondent(world)
      const bridge = createBridge({ ...server.env, TOKEN: device.token })
      await bridge.start()
      await unbindQueue()
      await device.receiveText('nobody listens', 3)
      await until(() => bridge.readOutput().includes('no queue is bound'), WITHIN)
      await bindQueue()
      expectUnbroken(await waitForEvents(server, device, 3), device)
      await bridge.stop()
    })
})

describe('SQS alone', () => {
  async function startServer(queue: string): Promise<SqsServer> {
    const server = await createSqsServer(queue)
    endings.push(server.close)
    await server.start()
    return server
  }

  test('a message that SQS refuses is sent again, in its order, and delays no other instance', async () => {
    const server = await startServer('refusing.fifo')
    const [one, other] = [await createCorrespondent(world), await createCorrespondent(world)]
    const bridge = createBridge({ ...server.env, ...asAdmin() })
    await bridge.start()
    server.refuses = ({ route }) => route.startsWith(one.id)
    await Promise.all([one.receiveText('later', 3), other.receiveText('now', 3)])
    await waitForEvents(server, other, 3)
    expect(listTexts(await server.readMessages(), one)).toEqual([])
    expect(bridge.readOutput()).toMatch(/does not take event .*: InternalError/)
    server.refuses = () => false
    expectUnbroken(await waitForEvents(server, one, 3), one)
    await bridge.stop()
  })

  test('a bridge that is killed before the response of SQS sends the same ids again, several in one request', async () => {
    const server = await startServer('standard')
    const device = await createCorrespondent(world)
    const bridge = createBridge({ ...server.env, TOKEN: device.token })
    await bridge.start()
    const killed = new Promise<void>((resolve) => {
      server.onStored = async () => {
        server.onStored = undefined
        await bridge.kill()
        resolve()
      }
    })
    await device.receiveText('twice', 60)
    await killed
    await bridge.start()
    const messages = await waitForEvents(server, device, 60)
    const byId = Map.groupBy(messages, ({ id }) => id)
    expect(messages.length).toBeGreaterThan(byId.size)
    for (const copies of byId.values()) expect(new Set(copies.map(({ body }) => body)).size).toBe(1)
    expect(Math.max(...server.batches)).toBeGreaterThan(5)
    await bridge.stop()
  })

  test('a bridge that ends before SQS has stored a request sends it again', async () => {
    const server = await startServer('unstored')
    const device = await createCorrespondent(world)
    const bridge = createBridge({ ...server.env, TOKEN: device.token })
    await bridge.start()
    const stopped = new Promise<void>((resolve) => {
      server.onReceived = async () => {
        server.onReceived = undefined
        expect(await bridge.stop()).toBe(0)
        resolve()
        throw new Error('not stored')
      }
    })
    await device.receiveText('unstored', 20)
    await stopped
    expect(await server.readMessages()).toEqual([])
    await bridge.start()
    expectUnbroken(await waitForEvents(server, device, 20), device)
    await bridge.stop()
  })

  test('a text with characters that SQS does not take is there all the same', async () => {
    const server = await startServer('characters.fifo')
    const device = await createCorrespondent(world)
    const bridge = createBridge({ ...server.env, TOKEN: device.token })
    await bridge.start()
    await device.receiveText('\uFFFE\uFFFF\u0001\u{1F600}')
    const messages = await waitForEvents(server, device, 1)
    expect(listTexts(messages, device)).toEqual(['\uFFFE\uFFFF\u0001\u{1F600}'])
    await bridge.stop()
  })

  test('EVENTS chooses events, and START_AT=oldest begins with the first one', async () => {
    const server = await startServer('chosen.fifo')
    const device = await createCorrespondent(world)
    await device.receiveText('before the bridge', 2)
    const env = { ...server.env, TOKEN: device.token, EVENTS: 'messages', START_AT: 'oldest' }
    const bridge = createBridge(env)
    await bridge.start()
    const messages = await waitForEvents(server, device, 2)
    expect(messages.map(parse).map(({ EventType }) => EventType)).toEqual(['messages', 'messages'])
    await bridge.stop()
  })

  test('an instance that was made while the bridge was away begins with its first event', async () => {
    const server = await startServer('new.fifo')
    const bridge = createBridge({ ...server.env, ...asAdmin() })
    await bridge.start()
    await bridge.stop()
    const device = await createCorrespondent(world)
    await device.receiveText('hello')
    await bridge.start()
    const messages = await waitForEvents(server, device, 1)
    expect(listSeqs(messages, device)[0]).toBe(1)
    expectUnbroken(messages, device)
    await bridge.stop()
  })

  test('after a kill of the gateway the bridge goes on after the last event', async () => {
    const server = await startServer('restarted.fifo')
    const device = await createCorrespondent(world)
    const bridge = createBridge({ ...server.env, TOKEN: device.token })
    await bridge.start()
    await device.receiveText('before', 5)
    await waitForEvents(server, device, 5)
    await world.killAndRestart()
    await device.receiveText('after', 5)
    const messages = await waitForEvents(server, device, 10)
    expectUnbroken(messages, device)
    expect(bridge.readOutput()).toContain('waiting for the gateway')
    await bridge.stop()
  }, 120_000)

  test('a token that the gateway does not know ends the bridge with a sentence', async () => {
    const server = await startServer('stranger.fifo')
    const bridge = createBridge({ ...server.env, TOKEN: 'mgi_secret' })
    expect(await bridge.runToEnd()).toBe(1)
    expect(bridge.readOutput()).toMatch(/^the gateway refuses: 401 unauthorized.*\n$/)
    expect(bridge.readOutput()).not.toContain('mgi_secret')
  })
})
