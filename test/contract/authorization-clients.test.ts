// Who asks for a token at `/mcp`, and where it is answered: addresses, clients that register themselves, and those that have a document.

import { expect, test } from 'vitest'
import { authorizingGateway, callback, createClient } from '../authorization.ts'
import { borrowForFile } from '../borrowed-world.ts'
import type { ApiResponse } from '../caller.ts'
import { createDevice } from '../device.ts'
import { startFileServer } from '../file-server.ts'

const world = await borrowForFile(authorizingGateway)
const documents = await startFileServer()
const device = await createDevice(world, 'Shop')
const base = world.run.baseUrl
const client = createClient(base)
const { open, resource, register, startRequest, readDetails, consent, obtainCode, exchange } = client

const pickError = ({ status, body }: ApiResponse) => [status, body?.error]

test('a person is sent to no address that the client has not named, and to none at all without being asked', async () => {
  const clientId = await register([callback, 'https://app.example/done?of=it'])
  const refuse = async (fields: Record<string, string | string[] | undefined>) => {
    const started = startRequest(clientId, fields)
    const [seen, allowed] = [
      await readDetails(started, device.token),
      await consent(started, { token: device.token }),
    ]
    expect(pickError(allowed)).toEqual([400, 'invalid_query'])
    expect(pickError(seen)).toEqual([400, 'invalid_query'])
    return seen.body.details?.returnTo as string | undefined
  }
  for (const redirect_uri of [
    'https://evil.example/callback',
    'https://app.example/done',
    'https://app.example/done?of=it&more=1',
    'https://app.example.evil.example/done?of=it',
    'https://app.example:444/done?of=it',
    'http://127.0.0.1:8123/callback/../other',
    'http://localhost:8123/callback',
    'http://127.0.0.1:8123@evil.example/callback',
    'javascript:alert(1)',
    '',
    undefined,
    [callback, callback],
  ])
    expect(await refuse({ redirect_uri }), String(redirect_uri)).toBeUndefined()
  for (const client_id of ['', 'client_none', `${clientId}x`, `${clientId.slice(0, -4)}AAAA`, undefined])
    expect(await refuse({ client_id }), String(client_id)).toBeUndefined()
  // What is wrong beside that the client may know, if the person goes there.
  const problems = [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ code_challenge: undefined }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge_method: undefined }, 'invalid_request'],
    [{ state: ['a', 'b'] }, 'invalid_request'],
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    [{ resource: [resource, `${base}/other`] }, 'invalid_target'],
  ] as const
  for (const [fields, error] of problems) {
    const returned = new URL((await refuse(fields as never)) ?? '')
    expect([fields, returned.origin + returned.pathname]).toEqual([fields, callback])
    expect([returned.searchParams.get('error'), returned.searchParams.get('iss')]).toEqual([error, base])
  }
  // A program on the person's computer listens at the port that is free.
  const elsewhere = startRequest(clientId, { redirect_uri: 'http://127.0.0.1:9000/callback' })
  expect((await readDetails(elsewhere, device.token)).body.returnHost).toBe('127.0.0.1:9000')
  const kept = startRequest(clientId, { redirect_uri: 'https://app.example/done?of=it' })
  const { returnTo } = (await consent(kept, { token: device.token })).body
  expect(returnTo).toMatch(/^https:\/\/app\.example\/done\?of=it&code=mgc_/)
})

test.each([
  [{ redirect_uris: ['http://app.example/callback'] }, 'invalid_redirect_uri'],
  [{ redirect_uris: ['app:/callback'] }, 'invalid_redirect_uri'],
  [{ redirect_uris: ['https://app.example/#part'] }, 'invalid_redirect_uri'],
  [{ redirect_uris: ['https://user@app.example/'] }, 'invalid_redirect_uri'],
  [{ redirect_uris: [`https://app.example/${'x'.repeat(600)}`] }, 'invalid_redirect_uri'],
  [{ redirect_uris: Array(6).fill(callback) }, 'invalid_redirect_uri'],
  [{ redirect_uris: [] }, 'invalid_redirect_uri'],
  [{}, 'invalid_redirect_uri'],
  [{ redirect_uris: [callback], client_name: 7 }, 'invalid_client_metadata'],
  ['{"redirect_uris":', 'invalid_client_metadata'],
])('a registration of %j is 400 %s', async (body, error) => {
  expect(pickError(await open.post('/oauth/register', body))).toEqual([400, error])
})

test('a registration stores nothing, and gives no secret', async () => {
  const before = await world.queryDatabase('select count(*) as n from authorization_codes')
  const { status, body, headers } = await open.post('/oauth/register', {
    redirect_uris: [callback],
    client_name: 'Two\nlines\u202e of it',
    token_endpoint_auth_method: 'client_secret_basic',
    unknown: { of: 'any kind' },
  })
  expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
  expect(body).toMatchObject({
    client_id: expect.stringMatching(/^client_[\w-]+$/),
    client_name: 'Two lines of it',
    token_endpoint_auth_method: 'none',
  })
  expect(body).not.toHaveProperty('client_secret')
  expect(await world.queryDatabase('select count(*) as n from authorization_codes')).toEqual(before)
})

test('a client whose id is the URL of its document is described by that, which is fetched for no stranger', async () => {
  const serve = (path: string, document: object) =>
    documents.serveFile(path, Buffer.from(JSON.stringify(document)), 'application/json')
  const path = `/${crypto.randomUUID()}.json`
  const id = `http://${documents.place}${path}`
  serve(path, { client_id: id, client_name: 'Documented', redirect_uris: [callback, 'app:/x'] })
  const countFetches = () => documents.requests.filter((each) => each === path).length
  const started = startRequest(id)
  expect((await open.get(`/oauth/authorize${started.query}`)).status).toBe(200)
  expect((await readDetails(started, 'mgi_none')).status).toBe(401)
  expect(countFetches()).toBe(0)
  expect((await readDetails(started, device.token)).body).toMatchObject({
    name: 'Documented',
    host: documents.place,
  })
  const code = await obtainCode(started, device.token)
  expect((await exchange(started, code)).status).toBe(200)
  expect(countFetches()).toBe(1)
})

test('a document that is another’s, is not there, redirects, is too large or lies within is refused', async () => {
  const serve = (path: string, text: string) =>
    documents.serveFile(path, Buffer.from(text), 'application/json')
  const other = JSON.stringify({ client_id: `${base}/x`, client_name: 'A', redirect_uris: [callback] })
  const ids = [
    serve('/other.json', other),
    serve('/text.json', 'no JSON'),
    serve('/partial.json', '{"client_name":"A"}'),
    serve('/large.json', `${' '.repeat(20_000)}{}`),
    documents.redirect('/moved.json', '/client.json'),
    `http://${documents.place}/absent.json`,
    `http://${documents.place}/`,
    `http://${documents.place}/a/../client.json`,
    `http://${documents.place}/client.json#part`,
    `${base}/client.json`,
    'https://127.0.0.1/client.json',
    'https://169.254.169.254/latest',
    'http://app.example/client.json',
    'https://user:word@app.example/client.json',
  ]
  for (const id of ids) {
    const refused = await readDetails(startRequest(id), device.token)
    expect([id, ...pickError(refused)]).toEqual([id, 400, 'invalid_query'])
    expect(refused.body.message).toContain('client_id')
  }
})
