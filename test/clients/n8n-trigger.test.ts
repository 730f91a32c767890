// The trigger for n8n, run by n8n's own contexts of hooks and webhooks: its webhook at the gateway, what it takes for an event, and what it answers.
//
// Alone in its process: it loads the engine of n8n.
// @vitest-environment-options { "process": "n8n-trigger" }

import { createHmac } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPhone } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import { isN8nInstalled, type Runner, startRunner, type Trigger } from './n8n-runner.ts'

const installed = isN8nInstalled()
const runner = installed ? await startRunner() : ({} as Runner)
const scene = installed ? await borrowScene() : undefined
const { world, device } = scene ?? ({} as NonNullable<typeof scene>)

/** What n8n's server does with a request: it answers when the workflow has started, or ended with this status. */
let workflow: { started: Seen[]; status: number }
let trigger: Trigger
let friend: string

beforeAll(async () => {
  if (!installed) return
  runner.setCredential({ baseUrl: world.run.baseUrl, token: device.token })
  friend = await createPhone(world, 'Ana')
  runner.server.on('request', async (request: IncomingMessage, response: ServerResponse) => {
    const { workflowData } = await trigger.receive(request, response)
    if (!workflowData) return
    workflow.started.push(workflowData[0][0].json)
    response.writeHead(workflow.status).end()
  })
})
beforeEach(() => {
  workflow = { started: [], status: 200 }
})
afterAll(() => runner.close?.())

const preset = { events: ['messages'], excludeMessages: ['wasSentByApi'], respond: 'onReceived', options: {} }
const write = async (text: string): Promise<string> =>
  (await world.sim('POST', '/messages', { from: friend, to: device.number, text })).id as string
const listWebhooks = async (): Promise<Seen[]> => (await device.caller.get('/v1/webhooks')).body.webhooks
const findOwn = async (): Promise<Seen> => (await listWebhooks()).find(({ url }) => url === trigger.url)
const waitForStart = (text: string): Promise<Seen> =>
  until(() => workflow.started.find(({ message }) => message?.text === text))

async function activate(parameters: object = {}, staticData: Record<string, Seen> = {}): Promise<void> {
  trigger = runner.openTrigger({ ...preset, ...parameters }, staticData)
  expect(await trigger.runHook('checkExists')).toBe(false)
  expect(await trigger.runHook('create')).toBe(true)
}

/** A delivery as somebody sends it who may know the secret. */
function postDelivery(body: string, { id = crypto.randomUUID(), at = Date.now(), secret = '' } = {}) {
  const timestamp = String(Math.floor(at / 1000))
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
  return (altered = body) => fetch(trigger.url, { method: 'POST', headers, body: altered })
}

const readSecret = (): string => trigger.staticData['node:Msgnet'].secret

describe.skipIf(!installed)('a workflow that is activated', () => {
  test('has a webhook of its own with the chosen events and filters, until it is deactivated', async () => {
    const others = (await listWebhooks()).length
    await activate({ events: ['messages', 'connection'], options: { chats: `${friend}, groups` } })
    expect(await findOwn()).toMatchObject({
      events: ['connection', 'messages'],
      excludeMessages: ['wasSentByApi'],
      chats: [expect.stringContaining(friend), 'groups'],
      hasSecret: true,
      enabled: true,
    })
    expect(await trigger.runHook('checkExists')).toBe(true)
    expect(await trigger.runHook('delete')).toBe(true)
    expect(await listWebhooks()).toHaveLength(others)
    expect(await trigger.runHook('checkExists')).toBe(false)
    expect(await trigger.runHook('delete')).toBe(true)
  })

  test('replaces the webhook that an n8n left which lost its data', async () => {
    await activate()
    const left = await findOwn()
    await activate()
    expect((await listWebhooks()).filter(({ url }) => url === trigger.url)).toHaveLength(1)
    expect((await findOwn()).id).not.toBe(left.id)
    await trigger.runHook('delete')
  })
})

describe.skipIf(!installed)('an event', () => {
  test('starts the workflow with the envelope, and those that are filtered do not', async () => {
    await activate()
    await device.caller.post('/send/text', { number: friend, text: 'of the workflow itself' })
    await write('hello')
    const started = await waitForStart('hello')
    expect(started).toMatchObject({
      EventType: 'messages',
      instanceId: device.id,
      message: { fromMe: false },
    })
    expect(workflow.started).toHaveLength(1)
    await trigger.runHook('delete')
  })

  test('is delivered again until n8n has taken it, and is then taken once', async () => {
    await activate()
    workflow.status = 500
    await write('while n8n is broken')
    await waitForStart('while n8n is broken')
    workflow.status = 200
    const { eventId } = workflow.started[0]
    await until(() => workflow.started.length === 2, { within: 20_000 })
    await until(async () => (await findOwn()).deliveryStatus.pending === 0)
    expect(workflow.started.map((one) => one.eventId)).toEqual([eventId, eventId])
    const again = postDelivery('{"EventType":"messages"}', { id: eventId, secret: readSecret() })
    expect((await again()).status).toBe(200)
    expect(workflow.started).toHaveLength(2)
    await trigger.runHook('delete')
  })

  test('that the workflow has is dropped after a restart of n8n too', async () => {
    await activate()
    const deliver = postDelivery('{"EventType":"messages"}', { secret: readSecret() })
    expect((await deliver()).status).toBe(200)
    await runner.restart()
    trigger = runner.openTrigger(preset, JSON.parse(JSON.stringify(trigger.staticData)))
    expect((await deliver()).status).toBe(200)
    expect(workflow.started).toHaveLength(1)
    await trigger.runHook('delete')
  })

  test('of a workflow that must end first is stored as taken by its end only', async () => {
    await activate({ respond: 'lastNode' })
    const deliver = postDelivery('{"EventType":"messages"}', { secret: readSecret() })
    workflow.status = 500
    expect((await deliver()).status).toBe(500)
    expect(trigger.staticData['node:Msgnet'].seen).toEqual([])
    workflow.status = 200
    expect([(await deliver()).status, (await deliver()).status]).toEqual([200, 200])
    expect(workflow.started).toHaveLength(2)
    await trigger.runHook('delete')
  })

  test('that is not signed, signed by another, altered or old is 401 and starts nothing', async () => {
    await activate()
    const secret = readSecret()
    const body = '{"EventType":"messages"}'
    const old = postDelivery(body, { secret, at: Date.now() - 6 * 60_000 })
    const other = postDelivery(body, { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' })
    const altered = postDelivery(body, { secret })
    const refused = [
      await old(),
      await other(),
      await altered('{"EventType":"call"}'),
      await fetch(trigger.url, { method: 'POST', body }),
    ]
    expect(refused.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    expect(workflow.started).toEqual([])
    await trigger.runHook('delete')
    expect((await postDelivery(body, { secret })()).status).toBe(401)
  })
})
