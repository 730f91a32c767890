// How a client of `/mcp` gets a token that a person allows: the published client from beginning to end, each step by hand, and attacks on codes.

import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { hashSha256 } from '@msgnet/shared/random-tokens.ts'
import { afterAll, expect, test } from 'vitest'
import { authorizingGateway, callback, createClient } from '../authorization.ts'
import { borrowForFile, borrowWorld } from '../borrowed-world.ts'
import { type ApiResponse, createCaller } from '../caller.ts'
import { createDevice } from '../device.ts'
import { until } from '../until.ts'

const world = await borrowForFile(authorizingGateway)
const device = await createDevice(world, 'Shop')
const base = world.run.baseUrl
const client = createClient(base)
const { open, resource, register, startRequest, readDetails, consent, obtainCode, postForm, exchange } =
  client

const opened: Client[] = []
afterAll(() => Promise.all(opened.map((each) => each.close())))

const pickError = ({ status, body }: ApiResponse) => [status, body?.error]
const listTokens = async () => (await device.caller.get('/instance/tokens')).body.tokens
const callMcp = (token?: string) =>
  open.post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    {
      accept: 'application/json, text/event-stream',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
  )

/** What the published client stores between its steps, and a person who allows what it asks for. */
function createProvider(more: Partial<OAuthClientProvider> = {}) {
  const stored: Record<string, unknown> = {}
  let returned = ''
  const provider: OAuthClientProvider = {
    redirectUrl: callback,
    clientMetadata: {
      client_name: 'Agent of a friend',
      redirect_uris: [callback],
      application_type: 'native',
    },
    state: () => 'its own',
    clientInformation: () => stored.client as never,
    saveClientInformation: (client) => void Object.assign(stored, { client }),
    tokens: () => stored.tokens as never,
    saveTokens: (tokens) => void Object.assign(stored, { tokens }),
    saveCodeVerifier: (verifier) => void Object.assign(stored, { verifier }),
    saveDiscoveryState: (discovery) => void Object.assign(stored, { discovery }),
    discoveryState: () => stored.discovery as never,
    codeVerifier: () => String(stored.verifier),
    async redirectToAuthorization({ origin, pathname, search }) {
      expect(`${origin}${pathname}`).toBe(`${base}/oauth/authorize`)
      const allowed = await open.post(
        '/oauth/authorize/consent',
        { query: search, scope: 'send', expiresIn: 86_400 },
        { token: device.token },
      )
      returned = allowed.body.returnTo
    },
    ...more,
  }
  return { provider, stored, readReturned: () => new URL(returned) }
}

test('the published client is authorized from beginning to end, and its token is one of the instance with its name', async () => {
  const { provider, stored, readReturned } = createProvider()
  const connect = async () => {
    const transport = new StreamableHTTPClientTransport(new URL(resource), { authProvider: provider })
    const agent = new Client({ name: 'a test', version: '1' })
    opened.push(agent)
    return { transport, agent, connected: agent.connect(transport) }
  }
  const first = await connect()
  await expect(first.connected).rejects.toBeInstanceOf(UnauthorizedError)
  const { origin, pathname, searchParams } = readReturned()
  expect([origin + pathname, searchParams.get('state'), searchParams.get('iss')]).toEqual([
    callback,
    'its own',
    base,
  ])
  await first.transport.finishAuth(searchParams)
  expect(stored.tokens).toMatchObject({ token_type: 'Bearer', expires_in: 86_400, scope: 'read send' })
  const second = await connect()
  await second.connected
  const { structuredContent } = await second.agent.callTool({ name: 'getStatus', arguments: {} })
  expect(structuredContent).toMatchObject({ instance: { id: device.id } })
  const record = (await listTokens()).find(({ name }: { name: string }) => name === 'Agent of a friend')
  expect(record).toMatchObject({ scope: 'send', chats: [] })
  await device.caller.delete(`/instance/tokens/${record.id}`)
  const { access_token } = stored.tokens as { access_token: string }
  const ended = await callMcp(access_token)
  expect(ended.status).toBe(401)
  expect(ended.headers.get('www-authenticate')).toContain('error="invalid_token"')
})

test('a 401 at /mcp names the metadata of the resource, and that names this gateway as who authorizes', async () => {
  const refused = await callMcp()
  const where = `${base}/.well-known/oauth-protected-resource/mcp`
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    `Bearer resource_metadata="${where}", scope="read send"`,
  ])
  const described = await open.get('/.well-known/oauth-protected-resource/mcp')
  expect(described.body).toMatchObject({ resource, authorization_servers: [base] })
  expect((await open.get('/.well-known/oauth-protected-resource')).body).toEqual(described.body)
  const server = await open.get('/.well-known/oauth-authorization-server')
  expect(server.headers.get('content-type')).toContain('application/json')
  expect(server.body).toMatchObject({
    issuer: base,
    authorization_endpoint: `${base}/oauth/authorize`,
    token_endpoint: `${base}/oauth/token`,
    registration_endpoint: `${base}/oauth/register`,
    grant_types_supported: ['authorization_code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  })
  expect((await world.admin.get('/v1/capabilities')).body.capabilities.authorization).toBe(true)
})

test('a gateway without tools authorizes nothing', async () => {
  const other = await borrowWorld()
  try {
    const { open: without } = createClient(other.run.baseUrl)
    for (const path of [
      '/oauth/authorize',
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-authorization-server',
    ])
      expect((await without.get(path)).status, path).toBe(404)
    for (const path of ['/oauth/token', '/oauth/register', '/oauth/authorize/consent'])
      expect((await without.post(path)).status, path).toBe(404)
    expect((await other.admin.get('/v1/capabilities')).body.capabilities.authorization).toBe(false)
  } finally {
    await other.close()
  }
})

test('the page changes nothing, cannot be framed, and is stored nowhere', async () => {
  const { query } = startRequest(await register())
  const { status, headers } = await open.get(`/oauth/authorize${query}`, { accept: 'text/html' })
  expect(status).toBe(200)
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(headers.get('content-security-policy')).toContain("script-src 'self'")
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
})

test('a person chooses scope, chats and time; the audit log has who allowed it and the token that came of it', async () => {
  const started = startRequest(await register())
  const details = await readDetails(started, device.token)
  expect(details.body).toMatchObject({
    name: 'Agent',
    host: '',
    returnHost: '127.0.0.1:8123',
    isLocal: true,
    scopes: ['read', 'send'],
  })
  expect(new URL(details.body.refusal).searchParams.get('error')).toBe('access_denied')
  const code = await obtainCode(started, device.token, { scope: 'read', chats: ['groups'], expiresIn: 60 })
  const rows = await world.queryDatabase('select * from authorization_codes')
  expect(JSON.stringify(rows)).not.toContain(code)
  const issued = await exchange(started, code)
  expect(issued.headers.get('cache-control')).toBe('no-store')
  expect(issued.body).toEqual({
    access_token: expect.stringMatching(/^mgs_[\w-]{43}$/),
    token_type: 'Bearer',
    expires_in: 60,
    scope: 'read',
  })
  const [record] = (await listTokens()).filter(({ chats }: { chats: string[] }) => chats[0] === 'groups')
  expect(record).toMatchObject({ name: 'Agent', scope: 'read' })
  const entries = await until(async () => {
    const log = (await world.admin.get(`/v1/audit?target=${device.id}`)).body.entries as {
      action: string
      actorId: string
    }[]
    const created = log.find(({ actorId }) => actorId === record.id)
    return created && [log.find(({ action }) => action === 'authorization.allow'), created]
  })
  expect(entries).toMatchObject([
    { action: 'authorization.allow', actor: 'instance', actorId: device.id, outcome: 'done' },
    { action: 'scopedToken.create', actor: 'scoped', actorName: 'Agent', outcome: 'done' },
  ])
})

test('an admin chooses the instance, and the token opens that one alone', async () => {
  const other = await createDevice(world, 'Other')
  const started = startRequest(await register())
  const { token: admintoken } = (await world.admin.post('/v1/tokens', { name: 'A', scope: 'operate' })).body
  expect(pickError(await consent(started, { admintoken }))).toEqual([400, 'invalid_id'])
  const allowed = await consent(started, { admintoken }, { instance: other.id })
  const code = new URL(allowed.body.returnTo).searchParams.get('code') ?? ''
  const { access_token: token } = (await exchange(started, code)).body
  const caller = createCaller(base, { token })
  expect((await caller.get('/instance/status')).body.instance.id).toBe(other.id)
  expect(pickError(await caller.get('/instance/tokens'))).toEqual([403, 'not_admin'])
  const asAdmin = createCaller(base, { admintoken: token })
  expect(pickError(await asAdmin.get('/v1/hosts'))).toEqual([401, 'unauthorized'])
})

test('only who may create scoped tokens allows anything: no read-only admin, no scoped token, no stranger', async () => {
  const started = startRequest(await register())
  const reader = (await world.admin.post('/v1/tokens', { name: 'R', scope: 'read' })).body.token
  const scoped = (await device.caller.post('/instance/tokens', { name: 'S', scope: 'full' })).body.token
  expect(pickError(await consent(started, { admintoken: reader }, { instance: device.id }))).toEqual([
    403,
    'not_admin',
  ])
  expect(pickError(await consent(started, { token: scoped }))).toEqual([403, 'not_admin'])
  for (const credential of [{}, { token: 'mgi_none' }, { admintoken: 'none' }] as Record<string, string>[])
    expect(pickError(await consent(started, credential))).toEqual([401, 'unauthorized'])
  expect(pickError(await readDetails(started, 'mgi_none'))).toEqual([401, 'unauthorized'])
  const foreign = { token: device.token, origin: 'https://evil.example' }
  expect(pickError(await consent(started, foreign))).toEqual([403, 'not_admin'])
})

test('more than the client asks for is not allowed', async () => {
  const started = startRequest(await register(), { scope: 'read offline_access' })
  expect((await readDetails(started, device.token)).body.scopes).toEqual(['read'])
  expect(pickError(await consent(started, { token: device.token }, { scope: 'send' }))).toEqual([
    400,
    'invalid_body',
  ])
})

test('a code is good once: who uses it again ends the token that came of it', async () => {
  const started = startRequest(await register())
  const code = await obtainCode(started, device.token)
  const { access_token: token } = (await exchange(started, code)).body
  expect((await callMcp(token)).status).toBe(200)
  expect(pickError(await exchange(started, code))).toEqual([400, 'invalid_grant'])
  expect((await callMcp(token)).status).toBe(401)
})

test('of two exchanges of a code at once at most one is done', async () => {
  const started = startRequest(await register())
  const code = await obtainCode(started, device.token)
  const results = await Promise.all(Array.from({ length: 5 }, () => exchange(started, code)))
  expect(results.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
})

test('a code is refused with another verifier, client, address or resource, and none of that ends it', async () => {
  const started = startRequest(await register())
  const code = await obtainCode(started, device.token)
  const otherClient = await register([callback, 'https://other.example/callback'])
  const attempts = [
    [{ code_verifier: startRequest('').verifier }, 'invalid_grant'],
    [{ code_verifier: 'short' }, 'invalid_grant'],
    [{ client_id: otherClient }, 'invalid_grant'],
    [{ redirect_uri: 'http://127.0.0.1:8124/callback' }, 'invalid_grant'],
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    [{ resource: [resource, 'https://other.example/mcp'] }, 'invalid_target'],
    [{ code: 'mgc_none' }, 'invalid_grant'],
    [{ code: undefined }, 'invalid_request'],
    [{ code_verifier: undefined }, 'invalid_request'],
    [{ client_id: [started.clientId, started.clientId] }, 'invalid_request'],
    [{ grant_type: 'refresh_token' }, 'unsupported_grant_type'],
    [{ grant_type: undefined }, 'invalid_request'],
  ] as const
  for (const [fields, error] of attempts) {
    const refused = await exchange(started, code, fields as never)
    expect([fields, ...pickError(refused)]).toEqual([fields, 400, error])
    expect(refused.body.error_description).toMatch(/\w/)
    expect(refused.headers.get('cache-control')).toBe('no-store')
  }
  // Fields that are not known are ignored.
  expect((await exchange(started, code, { audience: 'any' })).status).toBe(200)
})

test('a code that has expired, or whose instance was deleted, is refused', async () => {
  const other = await createDevice(world, 'Short')
  const [late, orphan] = [startRequest(await register()), startRequest(await register())]
  const [lateCode, orphanCode] = [await obtainCode(late, device.token), await obtainCode(orphan, other.token)]
  await world.queryDatabase(
    `update authorization_codes set expires_at = 1 where instance_id = '${device.id}'`,
  )
  await other.caller.delete('/instance')
  expect(pickError(await exchange(late, lateCode))).toEqual([400, 'invalid_grant'])
  expect(pickError(await exchange(orphan, orphanCode))).toEqual([400, 'invalid_grant'])
})

test('a request for a token in another form, with a secret, or too large is refused', async () => {
  const json = await postForm({ grant_type: 'authorization_code' }, { 'content-type': 'application/json' })
  expect(pickError(json)).toEqual([400, 'invalid_request'])
  const secret = await postForm({}, { authorization: 'Basic YTpi' })
  expect(pickError(secret)).toEqual([401, 'invalid_client'])
  expect(pickError(await postForm({ code: 'x'.repeat(100_000) }))).toEqual([413, 'body_too_large'])
})

test('Authorization: Bearer takes a token that was chosen for its instance, which may have any form', async () => {
  const chosen = 'a-key-that-its-caller-chose'
  expect((await callMcp(chosen)).status).toBe(401)
  const digest = await hashSha256(chosen)
  const { id } = await createDevice(world, 'Chosen')
  await world.queryDatabase(`update instances set token_hash = '${digest}' where id = '${id}'`)
  expect((await callMcp(chosen)).status).toBe(200)
})
