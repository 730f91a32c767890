// Two instances of one gateway: no route returns data of the other.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, expect, test } from 'vitest'
import { borrowWorld } from '../borrowed-world.ts'
import { type ApiResponse, type Caller, createPlainCaller } from '../caller.ts'
import { createPhone, linkDevice } from '../device.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'
import { toPersonJid } from './endings/row.ts'

const MARK = 'wolkenkuckucksheim'
const world = await borrowWorld({
  COMPATIBILITY: 'uazapi',
  MCP: 'write',
  MCP_TOOLS: 'chat,groups',
})
afterAll(() => world.close())

const admintoken = readFileSync(join(world.dataDir, 'admin-token'), 'utf8').trim()
const admin = createPlainCaller(world.run.baseUrl, { admintoken })

async function createTenant(name: string) {
  const { instance, token } = (await admin.post('/instance/create', { name })).body as Seen
  const caller = createPlainCaller(world.run.baseUrl, { token })
  return linkDevice(world, { id: instance.id, token, caller })
}

const anna = await createTenant(`Shop ${MARK}`)
const ben = await createTenant('Another')
const friend = await createPhone(world, `Friend ${MARK}`)
const friendsLid = (await world.sim('GET', `/phones/${friend}`)).lid as string

/** What is Anna's alone: in no answer of Ben's may there be any of it. */
const secrets = [MARK, friendsLid.split('@', 1)[0] ?? '', anna.number, anna.id, anna.token]
const findSecrets = (text: string) => secrets.filter((secret) => text.includes(secret))

async function expectOk(response: Promise<ApiResponse>): Promise<Seen> {
  const { status, text, body } = await response
  expect(status, text).toBe(200)
  return body
}

const postRequest = (path: string, body: object) => expectOk(anna.caller.post(path, body))
await postRequest('/contact/add', { phone: friend, name: `Friend ${MARK}` })
await postRequest('/label/edit', { labelid: 'new', name: `Label ${MARK}`, color: 2 })
await postRequest('/profile/name', { name: `Owner ${MARK}` })
const group = (await postRequest('/group/create', { name: `Group ${MARK}`, participants: [friend] }))
  .JID as string
await postRequest('/webhook', { url: `http://127.0.0.1:9/${MARK}`, events: 'all' })
await postRequest('/instance/proxy', { enable: false, proxy_url: `socks5://${MARK}:secret@127.0.0.1:9999` })
const sent = await postRequest('/send/text', {
  number: friend,
  text: `words ${MARK}`,
  track_id: 't',
  track_source: 's',
})
const file = Buffer.from(MARK).toString('base64')
const document = await postRequest('/send/media', {
  number: friend,
  type: 'document',
  file,
  docName: `${MARK}.txt`,
})
await postRequest('/chat/block', { number: friend, block: true })
await world.sim('POST', '/faults', {
  kind: 'refuse',
  number: anna.number,
  xmlns: 'privacy',
  code: 429,
  count: 1,
})
expect((await anna.caller.get('/instance/privacy')).status).toBe(429)
await until(async () => (await anna.caller.get('/webhook/errors')).text.includes(MARK))

/** Each of these returns data of Anna's instance. */
const requests: [method: string, path: string, body?: object][] = [
  ['GET', '/instance/status'],
  ['GET', '/instance/proxy'],
  ['GET', '/group/list'],
  ['POST', '/group/list', { search: MARK, force: true }],
  ['POST', '/group/info', { groupjid: group }],
  ['GET', `/group/invitelink/${group}`],
  ['GET', '/contacts'],
  ['POST', '/contacts/list', { contactScope: 'all' }],
  ['GET', '/labels'],
  ['GET', '/chat/blocklist'],
  ['POST', '/chat/find', {}],
  ['POST', '/chat/find', { wa_name: `~${MARK}` }],
  ['POST', '/chat/details', { number: friend }],
  ['POST', '/message/find', {}],
  ['POST', '/message/find', { id: sent.messageid }],
  ['POST', '/message/find', { chatid: toPersonJid(friend) }],
  ['POST', '/message/find', { track_source: 's' }],
  ['POST', '/message/download', { id: document.messageid, return_base64: true }],
  ['POST', '/v1/identity/resolve', { ids: [friend] }],
  ['GET', '/instance/limits'],
  ['GET', '/webhook'],
  ['GET', '/webhook/errors'],
  ['GET', '/v1/events?limit=200'],
]

/** What only Anna's answers have, in place of her secrets. */
const own: Record<string, RegExp> = {
  '/message/download': new RegExp(file),
  '/instance/limits': /\/instance\/privacy/,
  '/chat/blocklist': new RegExp(friend),
  [`/group/invitelink/${group}`]: /https:/,
}

test.each(requests)('%s %s returns data of its own instance only (%j)', async (method, path, body) => {
  const hers = await anna.caller.request(method, path, body)
  expect(hers.status, hers.text).toBe(200)
  expect(own[path] ? own[path].test(hers.text) : findSecrets(hers.text).length > 0, hers.text).toBe(true)
  const his = await ben.caller.request(method, path, body)
  expect(his.status, his.text).toBeLessThan(500)
  // A response may repeat what was in its request, and nothing more.
  const requestText = JSON.stringify(body ?? {}) + path
  expect(findSecrets(his.text).filter((secret) => !requestText.includes(secret))).toEqual([])
  if (own[path]) expect(his.text).not.toMatch(own[path])
})

test.each([
  ['/message/forward', { id: sent.messageid, number: ben.number }],
  ['/message/react', { id: sent.messageid, number: friend, text: '!' }],
  ['/message/edit', { id: sent.messageid, text: 'mine' }],
  ['/message/delete', { id: sent.messageid }],
])('POST %s finds no message of another instance', async (path, body) => {
  const { status, body: data, text } = await ben.caller.post(path, body)
  expect([status, data.error]).toEqual([404, 'message_not_found'])
  expect(findSecrets(text)).toEqual([])
})

/** Opens a stream, and returns a function that waits for a text in it and returns everything received so far. */
async function openStream(path: string, token: string) {
  const leave = new AbortController()
  const { body, status } = await fetch(world.run.baseUrl + path, { headers: { token }, signal: leave.signal })
  expect(status).toBe(200)
  const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
  return async (expected: string) => {
    let received = ''
    while (!received.includes(expected)) {
      const { done, value } = await reader.read()
      if (done) throw new Error('the stream has ended')
      received += value
    }
    leave.abort()
    return received
  }
}

test.each(['/sse', '/v1/events/stream'])(
  'the stream %s sends an instance its own events only',
  async (path) => {
    const [hers, his] = [await openStream(path, anna.token), await openStream(path, ben.token)]
    const ofAnna = await postRequest('/send/text', { number: friend, text: `streamed ${MARK}` })
    expect(await hers(ofAnna.messageid)).toContain(anna.token)
    const other = await createPhone(world)
    const ofBen = await expectOk(ben.caller.post('/send/text', { number: other, text: 'his own' }))
    const event = await his(ofBen.messageid)
    expect(event).toContain(ben.token)
    expect([findSecrets(event), event.includes(ofAnna.messageid)]).toEqual([[], false])
  },
)

test('tools of an instance return data of that instance', async () => {
  const callTool = async (caller: { token: string }, name: string, input: object) => {
    const client = new Client({ name: 'a test', version: '1' })
    const address = new URL(`${world.run.baseUrl}/mcp`)
    const headers = { token: caller.token }
    await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }))
    const result = await client.callTool({ name, arguments: input as Record<string, unknown> })
    await client.close()
    return JSON.stringify(result)
  }
  for (const [name, input] of [
    ['findMessages', { id: sent.messageid }],
    ['findChats', {}],
    ['findContacts', {}],
    ['listGroups', {}],
  ] as const) {
    expect(findSecrets(await callTool(anna, name, input)), name).not.toEqual([])
    expect(findSecrets(await callTool(ben, name, input)), name).toEqual([])
  }
})

test('the export of an instance contains no data of another', async () => {
  const exportInstance = async ({ id }: { id: string }): Promise<string> => {
    const { status, text } = await (admin as Caller).get(`/v1/instances/${id}/export`)
    expect(status).toBe(200)
    return text
  }
  expect(findSecrets(await exportInstance(anna))).toEqual(expect.arrayContaining([MARK, anna.id]))
  expect(findSecrets(await exportInstance(ben))).toEqual([])
})
