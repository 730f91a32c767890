// The typed client against a running gateway: every route, keys, and distinct errors.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectAdmin, GatewayError, GatewayUnreachable } from '@msgnet/client/client.ts'
import { entries } from '@msgnet/openapi/document.ts'
import { describe, expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { createDevice, createPhone, linkDevice } from '../device.ts'

const world = await borrowForFile()

const adminToken = 'mga_somebody'

/** They take the id of a webhook. */
const webhookMethods = [
  'getWebhookById',
  'changeWebhook',
  'removeWebhook',
  'testWebhookById',
  'listFailuresById',
] as const

test('the client has a method for every route of the document', async () => {
  const requests: string[] = []
  const recordRequest: typeof globalThis.fetch = async (url, init) => {
    const path = new URL(String(url)).pathname
      .replace(/\/7\b/, '/{id}')
      .replace(/tokens\/8$/, 'tokens/{tokenId}')
      .replace(/\/8$/, '/{linkId}')
    requests.push(`${init?.method} ${path}`)
    return new Response('{}', { headers: { 'x-request-id': 'x' } })
  }
  const admin = connectAdmin({ baseUrl: 'http://gateway', adminToken, fetch: recordRequest, repeats: false })
  const device = admin.instance('mgi_one')
  for (const method of [admin.instances, admin.hosts, admin.tokens].flatMap(listMethods))
    await method('7', {})
  for (const group of [admin.instances.links, admin.instances.scopedTokens])
    for (const method of listMethods(group)) await method('7', '8')
  await device.scopedTokens.create({ name: 'Screen', scope: 'read' })
  await device.scopedTokens.list()
  await device.scopedTokens.delete('8')
  for (const method of listMethods(admin.webhook)) await method({})
  for (const method of listMethods({ ...admin, instance: undefined, event: undefined })) await method()
  for (const { event } of [admin, device]) await event('7')
  await device.cancelScheduled('7')
  for (const name of webhookMethods) await device[name]('7', {})
  const named = Object.fromEntries(
    ['event', 'cancelScheduled', ...webhookMethods].map((name) => [name, undefined]),
  )
  for (const part of [device, device.webhook, device.proxy])
    for (const method of listMethods({ ...part, ...named })) await method({})
  const forPrograms = entries
    .map(({ route }) => route)
    .filter((route) => !/ \/$|\/docs$|\/console$|\/hosts\/v1\/| \/media$|^PUT /.test(route))
  expect([...new Set(requests)].sort()).toEqual(forPrograms.sort())
})

const listMethods = (of: object) =>
  Object.values(of).filter(
    (value): value is (...input: unknown[]) => Promise<unknown> => typeof value === 'function',
  )

test('an instance is made, linked, sends, and is deleted', async () => {
  const linked = await linkDevice(world, await createDevice(world))
  const device = connectAdmin({ baseUrl: `${world.run.baseUrl}/`, adminToken }).instance(linked.token)
  expect(await device.status()).toMatchObject({ loggedIn: true, instance: { owner: linked.number } })
  const friend = await createPhone(world)
  const sent = await device.sendText({ number: friend, text: 'typed' }, { idempotencyKey: 'once' })
  const again = await device.sendText({ number: friend, text: 'typed' }, { idempotencyKey: 'once' })
  expect(again).toEqual(sent)
  expect((await device.events({ limit: 1 })).events).toHaveLength(1)
  expect(await device.delete()).toEqual({ response: 'Instance deleted', unlinked: true })
})

test('the event stream continues after the last event that was seen', async () => {
  const device = await createDevice(world)
  const leave = new AbortController()
  const client = connectAdmin({ baseUrl: world.run.baseUrl, adminToken }).instance(device.token)
  const events = await client.stream({ after: 0, signal: leave.signal })
  await client.connect()
  for await (const envelope of events) {
    expect(envelope).toMatchObject({ EventType: 'connection', seq: 1, instanceId: device.id })
    break
  }
  leave.abort()
})

async function collectAll<Item>(from: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of from) items.push(item)
  return items
}

test('an export is read line by line, and an incomplete one throws', async () => {
  const device = await createDevice(world)
  const { instances } = connectAdmin({
    baseUrl: world.run.baseUrl,
    adminToken: readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim(),
  })
  const lines = await collectAll(await instances.export(device.id))
  expect(lines.map(({ type }) => type)).toEqual(['instance', 'proxy', 'webhook', 'end'])
  await expect(instances.export(crypto.randomUUID())).rejects.toMatchObject({ code: 'instance_not_found' })
  const readStream = async (text: string) =>
    collectAll(
      await connectAdmin({
        baseUrl: 'http://gateway',
        adminToken,
        fetch: async () => new Response(text),
      }).instances.export(device.id),
    )
  const first = '{"type":"call","call":{}}\n'
  await expect(readStream(first)).rejects.toThrow(GatewayUnreachable)
  await expect(readStream(`${first}{"type":"error","error":"outcome_unknown"}\n`)).rejects.toMatchObject({
    cause: { error: 'outcome_unknown' },
  })
})

describe('errors', () => {
  const createAnsweringClient = (status: number, body: string, headers: Record<string, string> = {}) =>
    connectAdmin({
      baseUrl: 'http://gateway',
      adminToken,
      fetch: async () => new Response(body, { status, headers }),
      repeats: false,
    }).instance('mgi_one')
  const catchFailure = (promise: Promise<unknown>) =>
    promise.then(
      () => undefined,
      (error: unknown) => error,
    )

  test('a refusal has its code, its message and the request id', async () => {
    const { token } = await createDevice(world)
    const device = connectAdmin({ baseUrl: world.run.baseUrl, adminToken }).instance(token)
    const error = await catchFailure(
      device.sendText({ number: '5511999999999', text: 'x' }, { requestId: 'order-7' }),
    )
    expect(error).toBeInstanceOf(GatewayError)
    expect(error).toMatchObject({
      status: 409,
      code: 'not_connected',
      requestId: 'order-7',
      outcomeUnknown: false,
    })
  })

  test('an unknown outcome has its messageid and its key', async () => {
    const body = { error: 'outcome_unknown', messageid: '3EB07', provider_code: 408 }
    const error = await catchFailure(
      createAnsweringClient(504, JSON.stringify(body)).sendText({ number: '1', text: 'x' }),
    )
    expect(error).toMatchObject({ outcomeUnknown: true, messageid: '3EB07', providerCode: 408 })
    expect((error as GatewayError).idempotencyKey).toMatch(/^[0-9a-f]{32}$/)
  })

  test('retryAfter is in seconds', async () => {
    const error = await catchFailure(
      createAnsweringClient(429, '{"error":"worker_full"}', { 'retry-after': '5' }).connect(),
    )
    expect(error).toMatchObject({ code: 'worker_full', retryAfter: 5 })
  })

  test('a proxy’s own error response is a GatewayError', async () => {
    expect(await catchFailure(createAnsweringClient(502, '<h1>Bad gateway</h1>').status())).toMatchObject({
      code: 'not_json',
    })
  })

  test('an unreachable gateway is a GatewayUnreachable', async () => {
    const nowhere = connectAdmin({ baseUrl: 'http://127.0.0.1:9', adminToken, repeats: false })
    expect(await catchFailure(nowhere.live())).toBeInstanceOf(GatewayUnreachable)
  })
})
