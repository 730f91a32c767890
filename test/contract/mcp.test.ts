// The routes as tools of the Model Context Protocol, called by that protocol's own client.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { routes } from '@msgnet/shared/api/api.ts'
import { getEffect, type Route } from '@msgnet/shared/api/route-declaration.ts'
import { WAIT_TOOL } from '@msgnet/shared/api/route-tool.ts'
import { getRequiredScope, includesScope } from '@msgnet/shared/contract/admin-scope.ts'
import { deliveredEvents, messageFilters } from '@msgnet/shared/contract/event-names.ts'
import { includesTokenScope, tokenScopes } from '@msgnet/shared/contract/scoped-token.ts'
import { toolSets } from '@msgnet/shared/contract/tool-sets.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { type BorrowedWorld, borrowWorld } from '../borrowed-world.ts'
import { createPlainCaller } from '../caller.ts'
import { createDevice, createPhone, SECRET } from '../device.ts'
import type { Delivery } from '../receiver.ts'
import { borrowScene, type Scene } from '../scene.ts'
import { until } from '../until.ts'
import type { SharedWorld } from '../world.ts'

/** Of JSON-RPC: the protocol has it for a tool that is not there. */
const INVALID_PARAMS = -32602
const opened: Client[] = []
const worlds: BorrowedWorld[] = []

afterAll(async () => {
  await Promise.all(opened.map((client) => client.close()))
  await Promise.all(worlds.map((world) => world.close()))
})

async function connectClient(world: SharedWorld, headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'a test', version: '1' })
  opened.push(client)
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${world.run.baseUrl}/mcp`), { requestInit: { headers } }),
  )
  return client
}

const readAdminToken = ({ dataDir }: SharedWorld) => ({
  admintoken: readFileSync(join(dataDir, 'admin-token'), 'utf8').trim(),
})
const listToolNames = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
const requestMcp = (world: SharedWorld, init: RequestInit) => fetch(`${world.run.baseUrl}/mcp`, init)

const declared: Record<string, Route> = routes
const allSets = Object.keys(toolSets)
/** The tools of a set that fit, by name. */
function listSet(set: keyof typeof toolSets, matches: (route: Route) => boolean = () => true): string[] {
  return toolSets[set].filter((name) => declared[name] && matches(declared[name])).sort()
}
const isRead = (route: Route) => getEffect(route) === 'reads'

describe('MCP=write', async () => {
  const scene: Scene = await borrowScene({
    MCP: 'write',
    MCP_TOOLS: [...allSets, ...allSets].reverse().join(),
  })
  const { world, device } = scene

  test('a message of more values, or more levels, than any call has is refused before it is parsed', async () => {
    const calls = [`${'[],'.repeat(100_000)}[]`, `${'['.repeat(1000)}${']'.repeat(1000)}`]
    for (const lists of calls) {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"lists":[${lists}]}}}`
      const headers = {
        token: device.token,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      }
      expect((await requestMcp(world, { method: 'POST', headers, body })).status).toBe(400)
    }
  })

  test('the capabilities name the sets of tools in one order, each once', async () => {
    expect((await world.admin.get('/v1/capabilities')).body.tool_sets).toEqual(allSets)
  })

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
    expect(await listToolNames(client)).toEqual(expect.arrayContaining(['sendText', 'searchInstances']))
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
    { name: 'getStatusById', given: {}, error: 'invalid_body' },
  ])('the argument $given is refused as in a request: $error', async ({ name, given, error }) => {
    const client = await connectClient(world, { ...readAdminToken(world), token: device.token })
    const { isError, structuredContent } = await client.callTool({ name, arguments: given })
    expect({ isError, structuredContent }).toMatchObject({ isError: true, structuredContent: { error } })
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

  test('each set is listed to the token of its routes, and read-only and destructive tools are marked', async () => {
    const admin = (await (await connectClient(world, readAdminToken(world))).listTools()).tools
    const own = (await (await connectClient(world, { token: device.token })).listTools()).tools
    expect(admin.map(({ name }) => name).sort()).toEqual(listSet('admin'))
    const sets = (['chat', 'groups', 'account', 'webhooks'] as const).flatMap((set) => listSet(set))
    expect(own.map(({ name }) => name).sort()).toEqual([...sets, WAIT_TOOL].sort())
    for (const { name, description, annotations, inputSchema } of [...admin, ...own]) {
      const effect = declared[name] ? getEffect(declared[name]) : 'reads'
      const marks = effect === 'reads' ? { readOnlyHint: true } : { destructiveHint: effect === 'destroys' }
      expect([name, annotations]).toEqual([name, marks])
      expect([name, description]).toEqual([expect.stringMatching(/^\w+$/), expect.stringMatching(/\w/)])
      expect(JSON.stringify(inputSchema)).not.toContain('$ref')
    }
  })

  test('tools of a scope that an admin token lacks are not listed', async () => {
    for (const scope of ['read', 'operate', 'admin'] as const) {
      const { token } = (await world.admin.post('/v1/tokens', { name: scope, scope })).body
      const listed = await listToolNames(await connectClient(world, { admintoken: token }))
      const isInScope = (route: Route) => includesScope(scope, getRequiredScope(route))
      expect(listed.sort()).toEqual(listSet('admin', isInScope))
      const acting = await listToolNames(
        await connectClient(world, { admintoken: token, instance: device.id }),
      )
      expect([scope, acting.includes('sendText')]).toEqual([scope, scope !== 'read'])
    }
  })

  test('a scoped token lists the tools of its scope, and finds its chats only', async () => {
    const [inside, outside] = [await createPhone(world), await createPhone(world)]
    for (const scope of tokenScopes) {
      const made = await device.caller.post('/instance/tokens', { name: scope, scope, chats: [inside] })
      const client = await connectClient(world, { authorization: `Bearer ${made.body.token}` })
      const isOpen = ({ auth, tokenScope = 'own', chats }: Route) =>
        auth === 'instance' &&
        tokenScope !== 'own' &&
        includesTokenScope(scope, tokenScope) &&
        chats !== 'all' &&
        chats !== 'groups'
      const sets = (['chat', 'groups', 'account', 'webhooks'] as const).flatMap((set) => listSet(set, isOpen))
      expect((await listToolNames(client)).sort()).toEqual([...sets, WAIT_TOOL].sort())
      const send = async (number: string) =>
        (await client.callTool({ name: 'sendText', arguments: { number, text: 'by an agent' } }))
          .structuredContent
      const refused = { error: 'not_admin', error_key: 'scope' }
      expect(await send(outside)).toMatchObject(scope === 'read' ? refused : { error: 'not_on_network' })
      expect(await send(inside)).toMatchObject(scope === 'read' ? refused : { fromMe: true })
    }
  })

  test('the token of an instance beside the name of one is 401, as on every route', async () => {
    const { token } = device
    const named = { instance: device.id }
    for (const headers of [
      { ...named, token },
      { ...named, token, ...readAdminToken(world) },
      { ...named, authorization: `Bearer ${token}` },
    ]) {
      const response = await createPlainCaller(world.run.baseUrl, headers).post('/mcp')
      expect([response.status, response.body.error]).toEqual([401, 'unauthorized'])
    }
  })

  test('Authorization: Bearer takes the token of an instance or of an admin', async () => {
    const { admintoken } = readAdminToken(world)
    const bear = (token: string, more = {}) => ({ authorization: `Bearer ${token}`, ...more })
    const own = await connectClient(world, bear(device.token))
    expect(await own.callTool({ name: 'getStatus', arguments: {} })).toMatchObject({
      structuredContent: { instance: { id: device.id } },
    })
    const acting = await listToolNames(await connectClient(world, bear(admintoken, { instance: device.id })))
    expect(acting).toEqual(expect.arrayContaining(['sendText', 'createToken']))
    for (const wrong of [
      bear('mgi_none'),
      bear(device.token, { token: device.token }),
      { authorization: 'Basic eDp5' },
    ]) {
      const response = await requestMcp(world, { method: 'POST', headers: wrong, body: '{}' })
      expect([wrong, response.status]).toEqual([wrong, 401])
    }
  })

  test('waiting for a message returns it when it comes, and goes on after the last one', async () => {
    const client = await connectClient(world, { token: device.token })
    // With the list of tools the client checks each result against its output schema.
    await client.listTools()
    const [friend, other] = ['551187654321', await createPhone(world)]
    await world.sim('POST', '/phones', { number: friend, name: 'Without the 9' })
    const wait = async (input: object) =>
      // biome-ignore lint/suspicious/noExplicitAny: what a tool returns is looked into by name.
      (await client.callTool({ name: WAIT_TOOL, arguments: { ...input } })).structuredContent as any
    const start = await wait({ seconds: 1 })
    expect(start.messages).toEqual([])
    const write = (from: string, text: string) =>
      world.sim('POST', '/messages', { from, to: device.number, text })
    const waiting = wait({ number: '+55 11 98765-4321', afterSeq: start.afterSeq, seconds: 30 })
    await write(other, 'of another')
    await write(friend, 'of the friend')
    const found = await waiting
    expect(found.messages).toMatchObject([{ text: 'of the friend', fromMe: false }])
    const missed = await wait({ afterSeq: start.afterSeq, seconds: 30 })
    expect(missed.messages[0]).toMatchObject({ text: 'of another' })
    expect(await wait({ number: friend, afterSeq: found.afterSeq, seconds: 1 })).toMatchObject({
      messages: [],
    })
    for (const wrong of [{ seconds: 56 }, { afterSeq: -1 }, { number: 'nobody' }])
      expect(await wait(wrong)).toMatchObject({ error: expect.stringMatching(/^invalid_/) })
  })

  test('a tool deletes what it names', async () => {
    const { record } = (await world.admin.post('/v1/tokens', { name: 'Short lived', scope: 'read' })).body
    const client = await connectClient(world, readAdminToken(world))
    const { isError } = await client.callTool({ name: 'deleteToken', arguments: { id: record.id } })
    expect(isError).toBeFalsy()
    expect((await world.admin.get('/v1/tokens')).text).not.toContain(record.id)
  })

  test('an agent adds a webhook beside the first, tries it, changes it, has an event delivered again and removes it', async () => {
    const { receiver } = scene
    const client = await connectClient(world, { token: device.token })
    const call = async (name: string, input: object = {}) =>
      // biome-ignore lint/suspicious/noExplicitAny: what a tool returns is looked into by name.
      (await client.callTool({ name, arguments: { ...input } })).structuredContent as any
    const further = { url: `${receiver.url}?further`, secret: SECRET, headers: { 'x-from': 'an agent' } }
    const { webhook } = await call('addWebhook', { ...further, events: 'groups', chats: ['people'] })
    const { id } = webhook
    expect((await call('listWebhooks')).webhooks).toMatchObject([{ url: receiver.url }, { id }])
    expect(await call('testWebhookById', { id })).toMatchObject({ delivered: true, status: 204 })
    const changed = await call('changeWebhook', { id, events: 'messages' })
    expect(changed.webhook).toMatchObject({ events: ['messages'], chats: ['people'] })
    await world.sim('POST', '/messages', {
      from: await createPhone(world),
      to: device.number,
      text: 'to both',
    })
    const listCopies = () =>
      receiver.deliveries.filter(
        // biome-ignore lint/suspicious/noExplicitAny: of the event messages only.
        ({ headers, envelope }) => headers['x-from'] && (envelope.message as any)?.text === 'to both',
      )
    const [{ envelope }] = await until(() => listCopies().length === 1 && (listCopies() as [Delivery]))
    const again = await call('redriveEvents', { webhookId: id, ids: [envelope.eventId] })
    expect(again).toMatchObject({ matched: 1, queued: 1 })
    await until(() => listCopies().length === 2)
    expect((await call('listFailuresById', { id })).errors).toEqual([])
    expect(await call('removeWebhook', { id })).toMatchObject({ deleted: true })
    expect(await call('getWebhookById', { id })).toMatchObject({ error: 'not_found' })
  })

  test('tools of webhooks name the events, the filters and the kinds of chats', async () => {
    const client = await connectClient(world, { token: device.token })
    const { tools } = await client.listTools()
    const properties = tools.find(({ name }) => name === 'addWebhook')?.inputSchema.properties ?? {}
    const { events, excludeMessages, chats } = properties as Record<string, object>
    for (const event of deliveredEvents) expect(JSON.stringify(events)).toContain(event)
    for (const filter of messageFilters) expect(JSON.stringify(excludeMessages)).toContain(filter)
    expect(JSON.stringify(chats)).toMatch(/groups.*people/)
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

  test('a missing or invalid token is 401 with the header’s name; no stream is offered', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const refuse = async (wrong: object) => {
      const refused = await requestMcp(world, { method: 'POST', headers: { ...headers, ...wrong }, body })
      return [refused.status, ((await refused.json()) as { message: string }).message]
    }
    expect(await refuse({})).toEqual([401, 'The header token is missing.'])
    const own = readAdminToken(world)
    for (const [wrong, named] of [
      [{ token: 'mgi_none' }, 'token'],
      [{ ...own, token: 'mgi_none' }, 'token'],
      [{ admintoken: 'no' }, 'admintoken'],
      [{ authorization: 'Bearer no' }, 'Authorization: Bearer'],
      [{ authorization: `Bearer ${own.admintoken}`, token: 'mgi_none' }, 'token'],
    ] as const)
      expect(await refuse(wrong)).toEqual([401, `The token in the header ${named} is not known.`])
    expect(
      (await requestMcp(world, { headers: { token: device.token, accept: 'text/event-stream' } })).status,
    ).toBe(405)
  })
})

test('MCP=read offers the read-only tools of the set chat, and no other can be called', async () => {
  const world = await borrowWorld({ MCP: 'read', CORS_ORIGINS: '*' })
  worlds.push(world)
  const device = await createDevice(world)
  const client = await connectClient(world, { ...readAdminToken(world), token: device.token })
  expect((await listToolNames(client)).sort()).toEqual([...listSet('chat', isRead), WAIT_TOOL].sort())
  for (const name of ['deleteInstance', 'sendText', 'getStatus', 'noSuchTool'])
    await expect(client.callTool({ name, arguments: {} })).rejects.toMatchObject({
      code: INVALID_PARAMS,
      message: expect.stringContaining(name),
    })
  expect((await device.caller.get('/instance/status')).status).toBe(200)
  expect((await world.admin.get('/v1/capabilities')).body).toMatchObject({
    capabilities: { tools: true },
    tool_sets: ['chat'],
  })
})

test('without MCP there is no such route', async () => {
  const world = await borrowWorld()
  worlds.push(world)
  expect((await world.admin.get('/v1/capabilities')).body.tool_sets).toEqual([])
  for (const method of ['POST', 'GET', 'DELETE'])
    expect((await requestMcp(world, { method, headers: readAdminToken(world) })).status).toBe(404)
})
