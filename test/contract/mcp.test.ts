// The routes as tools of the Model Context Protocol, called by that protocol's own client.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, describe, expect, test } from 'vitest'
import { routes } from '../../shared/api/api.ts'
import type { Route } from '../../shared/api/route-declaration.ts'
import { createDevice, createPhone } from '../device.ts'
import { type Scene, startScene } from '../scene.ts'
import { until } from '../until.ts'
import { startWorld, type World } from '../world.ts'

const opened: Client[] = []
const worlds: World[] = []

afterAll(async () => {
  await Promise.all(opened.map((client) => client.close()))
  await Promise.all(worlds.map((world) => world.close()))
})

async function connectClient(world: World, headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'a test', version: '1' })
  opened.push(client)
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${world.run.baseUrl}/mcp`), { requestInit: { headers } }),
  )
  return client
}

const readAdminToken = ({ dataDir }: World) => ({
  admintoken: readFileSync(join(dataDir, 'admin-token'), 'utf8').trim(),
})
const listToolNames = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
const requestMcp = (world: World, init: RequestInit) => fetch(`${world.run.baseUrl}/mcp`, init)

/** Neither files, streams nor texts: what a program is answered with JSON. */
const reading = Object.entries<Route>(routes).filter(
  ([, { auth, response }]) =>
    (auth === 'admin' || auth === 'instance') && (response.type ?? 'application/json') === 'application/json',
)
const findRoutes = (matches: (route: Route) => boolean): string[] =>
  reading
    .filter(([, route]) => matches(route))
    .map(([name]) => name)
    .sort()
/** Not by GET, and they change nothing all the same. */
const READING = [
  'checkNumbers',
  'downloadMessage',
  'findChats',
  'findContacts',
  'findMessages',
  'resolveIdentities',
  'showChat',
  'showGroup',
  'showInvite',
]
const routesByName: Record<string, Route> = routes
const isRead = (route: Route) =>
  route.method === 'GET' || READING.some((name) => routesByName[name] === route)

/** What cannot be taken back, each by its name: a new one is to be thought about. */
// biome-ignore format: a list of short entries
const DESTRUCTIVE = [
  'deleteChat', 'deleteHost', 'deleteInstance', 'deleteInstanceById', 'deleteLink', 'deleteMessage', 'deleteToken',
  'disconnect', 'disconnectById', 'leaveGroup', 'removeContact', 'removeProxy', 'renewHostToken',
  'renewToken', 'renewTokenById', 'resetInviteCode',
]

describe('MCP=write', async () => {
  const scene: Scene = await startScene({ MCP: 'write' })
  const { world, device } = scene

  test('a tool call sends the message once for one key', async () => {
    const client = await connectClient(world, { token: device.token })
    const friend = await createPhone(world)
    const call = {
      name: 'sendText',
      arguments: { number: friend, text: 'by an agent', idempotencyKey: 'agent-1' },
    }
    const first = await client.callTool(call)
    const again = await client.callTool(call)
    expect(first.isError).toBeFalsy()
    expect(first.structuredContent).toMatchObject({ status: expect.stringMatching(/Sent|Delivered/) })
    expect(again.structuredContent).toMatchObject({
      messageid: (first.structuredContent as { messageid: string }).messageid,
    })
    await scene.waitForMessage(friend, ({ text }) => text === 'by an agent')
    expect((await scene.readInbox(friend)).length).toBe(1)
  })

  test('an admin token beside the id of an instance calls the tools of both', async () => {
    const client = await connectClient(world, { ...readAdminToken(world), instance: device.id })
    const { structuredContent } = await client.callTool({ name: 'getStatus', arguments: {} })
    expect(structuredContent).toMatchObject({ instance: { id: device.id } })
    expect(await listToolNames(client)).toEqual(expect.arrayContaining(['sendText', 'listInstances']))
  })

  test('a refusal is a tool error with its code and the field', async () => {
    const client = await connectClient(world, { token: device.token })
    const { isError, structuredContent } = await client.callTool({
      name: 'sendText',
      arguments: { text: 'x' },
    })
    expect(isError).toBe(true)
    expect(structuredContent).toMatchObject({
      error: 'invalid_number',
      message: expect.stringContaining('number'),
    })
  })

  test('a call with a null key sends each time', async () => {
    const client = await connectClient(world, { token: device.token })
    const call = {
      name: 'sendText',
      arguments: { number: await createPhone(world), text: 'without a key', idempotencyKey: null },
    }
    const sent = [await client.callTool(call), await client.callTool(call)]
    const ids = sent.map(({ structuredContent }) => (structuredContent as { messageid: string }).messageid)
    expect(ids).toEqual([expect.any(String), expect.any(String)])
    expect(new Set(ids).size).toBe(2)
  })

  const text = { number: '5511999999999', text: 'x' }
  test.each([
    ...['a\nb', 'a b', '', { of: 'objects' }].map((idempotencyKey) => ({
      name: 'sendText',
      given: { ...text, idempotencyKey },
      error: 'invalid_idempotency_key',
    })),
    ...[{ toString: 1 }, 'many', 1.5].map((limit) => ({
      name: 'listEvents',
      given: { limit },
      error: 'invalid_limit',
    })),
    // None of them may lead to another route.
    ...['..', '.', '../..', '%2e%2e', { toString: 1 }].map((id) => ({
      name: 'deleteToken',
      given: { id },
      error: 'invalid_id',
    })),
  ])('the argument $given is refused as in a request: $error', async ({ name, given, error }) => {
    const client = await connectClient(world, { ...readAdminToken(world), token: device.token })
    const { isError, structuredContent } = await client.callTool({ name, arguments: given })
    expect(isError).toBe(true)
    expect(structuredContent).toMatchObject({ error })
  })

  test('each token has the tools of its routes, and both together have all', async () => {
    const adminOnly = await listToolNames(await connectClient(world, readAdminToken(world)))
    const own = await listToolNames(await connectClient(world, { token: device.token }))
    const both = await listToolNames(
      await connectClient(world, { ...readAdminToken(world), token: device.token }),
    )
    expect(adminOnly).toContain('createInstance')
    expect(adminOnly).not.toContain('sendText')
    expect(own).toContain('sendText')
    expect(own).not.toContain('createInstance')
    expect(new Set(both)).toEqual(new Set([...adminOnly, ...own]))
  })

  test('the tools are the routes of each token, and destructive ones are marked', async () => {
    const admin = (await (await connectClient(world, readAdminToken(world))).listTools()).tools
    const own = (await (await connectClient(world, { token: device.token })).listTools()).tools
    expect(admin.map(({ name }) => name).sort()).toEqual(findRoutes(({ auth }) => auth === 'admin'))
    expect(own.map(({ name }) => name).sort()).toEqual(findRoutes(({ auth }) => auth === 'instance'))
    const all = [...admin, ...own]
    const listHinted = (hint: 'destructiveHint' | 'readOnlyHint') =>
      all
        .filter(({ annotations }) => annotations?.[hint])
        .map(({ name }) => name)
        .sort()
    expect(listHinted('readOnlyHint')).toEqual(findRoutes(isRead))
    expect(listHinted('destructiveHint')).toEqual(DESTRUCTIVE)
  })

  test('a tool deletes what it names', async () => {
    const { record } = (await world.admin.post('/v1/tokens', { name: 'Short lived', scope: 'read' })).body
    const client = await connectClient(world, readAdminToken(world))
    const { isError } = await client.callTool({ name: 'deleteToken', arguments: { id: record.id } })
    expect(isError).toBeFalsy()
    expect((await world.admin.get('/v1/tokens')).text).not.toContain(record.id)
  })

  test('a tool of the admin takes the id from its arguments', async () => {
    const other = await createDevice(world, 'By id')
    const client = await connectClient(world, readAdminToken(world))
    const found = await client.callTool({ name: 'getStatusById', arguments: { id: other.id } })
    expect(found.structuredContent).toMatchObject({ instance: { id: other.id, name: 'By id' } })
    const none = await client.callTool({ name: 'getStatusById', arguments: { id: 'no/such?id' } })
    expect(none).toMatchObject({ isError: true, structuredContent: { error: 'invalid_id' } })
  })

  test('an admin token can call the tools of its scope, and the audit log has the caller’s address', async () => {
    const made = (await world.admin.post('/v1/tokens', { name: 'Agent', scope: 'read' })).body
    const client = await connectClient(world, { admintoken: made.token })
    const { isError, structuredContent } = await client.callTool({
      name: 'createInstance',
      arguments: { name: 'Not mine to make' },
    })
    expect([isError, (structuredContent as { error: string }).error]).toEqual([true, 'not_admin'])
    const entries = await until(async () => {
      const { entries } = (await world.admin.get(`/v1/audit?actorId=${made.record.id}`)).body
      return entries.length > 0 && entries
    })
    const [other] = (await world.admin.get('/v1/audit?action=token.create')).body.entries
    expect(entries).toMatchObject([
      { action: 'instance.create', outcome: 'not_admin', address: other.address },
    ])
  })

  test('destructive and read-only tools are marked, and every tool has an input schema', async () => {
    const client = await connectClient(world, { ...readAdminToken(world), token: device.token })
    const { tools } = await client.listTools()
    const findTool = (name: string) => tools.find((tool) => tool.name === name)
    expect(findTool('deleteInstance')?.annotations).toMatchObject({
      destructiveHint: true,
      readOnlyHint: false,
    })
    expect(findTool('deleteMessage')?.annotations).toMatchObject({
      destructiveHint: true,
      idempotentHint: true,
    })
    expect(findTool('findMessages')?.annotations).toMatchObject({
      destructiveHint: false,
      readOnlyHint: true,
    })
    expect(findTool('sendText')?.inputSchema.required).toEqual(expect.arrayContaining(['number', 'text']))
    for (const { name, description, inputSchema } of tools) {
      expect([name, description]).toEqual([expect.stringMatching(/^\w+$/), expect.stringMatching(/\w/)])
      expect(JSON.stringify(inputSchema)).not.toContain('$ref')
    }
  })

  test('a missing or invalid token is 401 with the header’s name; no stream is offered', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const bare = await requestMcp(world, { method: 'POST', headers, body })
    expect([bare.status, await bare.json()]).toEqual([
      401,
      expect.objectContaining({ error: 'unauthorized' }),
    ])
    for (const wrong of [
      { token: 'mgi_none' },
      { ...readAdminToken(world), token: 'mgi_none' },
      { admintoken: 'no' },
    ])
      expect(
        (await requestMcp(world, { method: 'POST', headers: { ...headers, ...wrong }, body })).status,
      ).toBe(401)
    expect(
      (await requestMcp(world, { headers: { token: device.token, accept: 'text/event-stream' } })).status,
    ).toBe(405)
  })
})

test('MCP=read offers read-only tools, and no other can be called', async () => {
  const world = await startWorld({ MCP: 'read' })
  worlds.push(world)
  const device = await createDevice(world)
  const client = await connectClient(world, { ...readAdminToken(world), token: device.token })
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['getStatus', 'findMessages', 'listInstances']),
  )
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
  expect(tools.map(({ name }) => name).sort()).toEqual(findRoutes(isRead))
  const refused = await client.callTool({ name: 'deleteInstance', arguments: {} })
  expect(refused.isError).toBe(true)
  expect((await device.caller.get('/instance/status')).status).toBe(200)
})

test('without MCP there is no such route', async () => {
  const world = await startWorld()
  worlds.push(world)
  for (const method of ['POST', 'GET', 'DELETE'])
    expect((await requestMcp(world, { method, headers: readAdminToken(world) })).status).toBe(404)
})
