// COMPATIBILITY=tolerant: what is taken beyond the contract, each as those clients write it; and nothing of it while it is off.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { HOUR } from '@msgnet/shared/date-time.ts'
import { afterAll, expect, test } from 'vitest'
import { borrowWorld } from '../borrowed-world.ts'
import { type Caller, createPlainCaller } from '../caller.ts'
import { createDevice, createPhone } from '../device.ts'
import { borrowScene, type Seen } from '../scene.ts'
import { until } from '../until.ts'
import type { SharedWorld } from '../world.ts'
import { toPersonJid } from './endings/row.ts'

const { world, device, receiver, waitForMessage } = await borrowScene({ COMPATIBILITY: 'tolerant' })
const strict = await borrowWorld()

afterAll(() => strict.close())

/** These routes are in no document, so their responses are not compared with it. */
const createAdminCaller = ({ dataDir, run }: SharedWorld): Caller =>
  createPlainCaller(run.baseUrl, { admintoken: readFileSync(join(dataDir, 'admin-token'), 'utf8').trim() })
const createInstanceCaller = (token: string, { run }: SharedWorld = world): Caller =>
  createPlainCaller(run.baseUrl, { token })
const shop = createInstanceCaller(device.token)

test.each(['@s.whatsapp.net', '@c.us'])(
  'ids may have the ending of the network in every field for people (%s)',
  async (suffix) => {
    const friend = await createPhone(world)
    const sent = await shop.post('/send/text', { number: friend + suffix, text: 'hello' })
    expect([sent.status, sent.body.chatid]).toEqual([200, toPersonJid(friend)])
    await waitForMessage(friend, ({ id }) => id === sent.body.messageid)
    const found = await shop.post('/message/find', { chatid: friend + suffix })
    expect(found.body.messages).toMatchObject([{ text: 'hello' }])
    const group = await shop.post('/group/create', { name: 'Us', participants: [friend + suffix] })
    expect(group.body.ParticipantCount).toBe(2)
    const named = await shop.post('/send/text', {
      number: group.body.JID,
      text: 'you',
      mentions: `${friend}${suffix}, ${device.number}${suffix}`,
    })
    expect(named.status).toBe(200)
    const seen = await waitForMessage(friend, ({ id }) => id === named.body.messageid)
    expect(seen.mentions).toHaveLength(2)
    const [check] = (await shop.post('/chat/check', { numbers: [friend + suffix] })).body
    expect(check).toMatchObject({ jid: toPersonJid(friend), isInMsgnet: true })
  },
)

test('instances are created and restarted, and the global webhook is set, under the names of the API family', async () => {
  const admin = createAdminCaller(world)
  const made = await admin.post('/instance/create', { name: 'Made' })
  expect([made.status, made.body.instance.name]).toEqual([200, 'Made'])
  expect((await createInstanceCaller(made.body.token).get('/instance/status')).status).toBe(200)
  const reset = await shop.post('/instance/reset')
  expect([reset.status, reset.body.jid]).toEqual([200, toPersonJid(device.number)])
  const saved = await admin.post('/globalwebhook', { url: receiver.url, events: ['connection'] })
  expect([saved.status, saved.body.scope]).toEqual([200, 'server'])
  expect((await admin.get('/globalwebhook')).body.url).toBe(receiver.url)
  const gone = await admin.post('/globalwebhook', { action: 'delete', url: receiver.url, enabled: false })
  expect([gone.status, (await admin.get('/globalwebhook')).body.registered]).toEqual([200, false])
})

test('limits have the name of the API family, and a refused address names the setting that allows it', async () => {
  const shop = device.caller
  // The document does not have this name.
  const plain = createPlainCaller(world.run.baseUrl, { token: device.token })
  const limits = await plain.get('/instance/wa_messages_limits')
  expect(limits).toMatchObject({ status: 200, body: (await shop.get('/instance/limits')).body })
  for (const url of ['http://n8n:5678/webhook/1', 'https://192.168.0.7/webhook/1']) {
    const refused = await shop.post('/webhook', { url, events: 'messages' })
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_url'])
    expect(refused.body.message).toContain('WEBHOOK_ALLOWLIST')
  }
})

test('limits say whether new chats may be opened, as programs of the family read it', async () => {
  const plain = createPlainCaller(world.run.baseUrl, { token: device.token })
  const readLimits = async () => (await plain.get('/instance/wa_messages_limits')).body
  expect(await readLimits()).toMatchObject({
    can_send_new_messages: true,
    new_chat_message_capping: { available: false, capping_status: 'NONE' },
  })
  const newChatCap = { total: 10, used: 10, until: Date.now() + HOUR }
  await world.sim('PATCH', `/phones/${device.number}/limits`, { newChatCap })
  await until(async () => (await readLimits()).can_send_new_messages === false)
  expect((await readLimits()).new_chat_message_capping).toEqual({
    available: true,
    capping_status: 'CAPPED',
    used_quota: 10,
    total_quota: 10,
    cycle_end: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
  })
})

test('a wrong method of a path of the family is 405 with those that it has', async () => {
  const plain = createPlainCaller(world.run.baseUrl, { token: device.token })
  for (const [method, path, allowed] of [
    ['POST', '/sse', 'GET'],
    ['DELETE', '/instance/wa_messages_limits', 'GET'],
    ['PUT', '/group/invitelink/1@g.us', 'GET'],
    ['GET', '/instance/create', 'POST'],
    ['PUT', '/instance/reset', 'POST'],
    ['DELETE', '/globalwebhook', 'GET'],
  ] as const) {
    const { status, body, headers } = await plain.request(method, path)
    expect([path, status, body.error]).toEqual([path, 405, 'method_not_allowed'])
    expect(headers.get('allow')?.split(', ')).toContain(allowed)
  }
  expect((await plain.get('/instance/unknown')).status).toBe(404)
})

test('older messages are requested under the name of the family', async () => {
  const plain = createPlainCaller(world.run.baseUrl, { token: device.token })
  const request = { number: '5511977770001', mode: 'history', count: 100 }
  const sync = await plain.post('/message/history-sync', request)
  expect([sync.status, sync.body.error]).not.toEqual([404, 'not_found'])
  expect(sync.body.message ?? '').not.toContain('count')
  const exact = await plain.post('/message/history-sync', { ...request, mode: 'exact' })
  expect([exact.status, exact.body.error]).toEqual([400, 'invalid_body'])
})

test('an invitation has its own route, and a page of messages is never refused for its length', async () => {
  const { body } = await shop.post('/group/create', {
    name: 'Open',
    participants: [await createPhone(world)],
  })
  const link = await shop.get(`/group/invitelink/${body.JID}`)
  expect([link.status, link.body.inviteLink]).toEqual([200, expect.stringMatching(/^https:/)])
  expect((await shop.get('/group/invitelink/nobody')).status).toBe(400)
  const found = await shop.post('/message/find', { limit: 500 })
  expect([found.status, found.body.limit]).toEqual([200, 100])
})

test('a group is joined with the other spelling of its field, and a message is pinned for days or not at all', async () => {
  const owner = await createPhone(world, 'Owner')
  const { jid } = await world.sim('POST', '/groups', { subject: 'Theirs', owner })
  const { invite: inviteCode } = await world.sim('GET', `/groups/${jid}`)
  expect((await shop.post('/group/inviteInfo', { inviteCode })).body.JID).toBe(jid)
  expect((await shop.post('/group/join', { inviteCode })).status).toBe(200)
  const { messageid: id } = (await shop.post('/send/text', { number: owner, text: 'pin me' })).body
  const findPinned = async () =>
    (await shop.post('/message/find', { id })).body.messages[0].content.pinned ?? false
  for (const duration of [7, 0]) {
    expect((await shop.post('/message/pin', { id, duration })).status).toBe(200)
    expect(await findPinned()).toBe(duration !== 0)
  }
  const named = await shop.post('/instance/updateinstancename', { name: 'Corner' })
  expect(named.body.name).toBe('Corner')
  const details = await shop.post('/chat/GetNameAndImageURL', { number: owner })
  expect([details.status, details.body.wa_chatid]).toEqual([200, toPersonJid(owner)])
})

test('groups are paged and searched by name, without a body too', async () => {
  await shop.post('/group/create', { name: 'Garden', participants: [await createPhone(world)] })
  const all = await shop.request('POST', '/group/list')
  expect(all.status).toBe(200)
  const { totalRecords, limit } = all.body.pagination
  expect([all.body.groups.length, limit]).toEqual([totalRecords, 50])
  const found = (await shop.post('/group/list', { search: 'GARD', noParticipants: true, limit: 5 })).body
  expect(found.groups).toMatchObject([{ Name: 'Garden', Participants: [] }])
  expect(found.pagination).toMatchObject({ totalRecords: 1, totalPages: 1, hasNextPage: false, limit: 5 })
  const wrong = await shop.post('/group/list', { offset: -1 })
  expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_body'])
})

test('the stream has another path, and is filtered by event types', async () => {
  const limit = new AbortController()
  const { body, status } = await fetch(`${world.run.baseUrl}/sse?events=messages_update`, {
    headers: { token: device.token },
    signal: limit.signal,
  })
  expect(status).toBe(200)
  const reader = (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader()
  const friend = await createPhone(world)
  const { messageid } = (await shop.post('/send/text', { number: friend, text: 'listen' })).body
  let received = ''
  while (!new RegExp(`data: .*${messageid}.*\n`).test(received)) {
    const { done, value } = await reader.read()
    if (done) throw new Error('the stream has ended')
    received += value
  }
  limit.abort()
  const types = [...received.matchAll(/"EventType":"(\w+)"/g)].map(([, type]) => type)
  expect(new Set(types)).toEqual(new Set(['messages_update']))
})

test('a requested event reaches the stream behind hundreds of others', async () => {
  const quiet = await createDevice(world)
  await world.queryDatabase(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 606)
    insert into events (id, instance_id, seq, type, owner, payload, at, created_at, status)
    select lower(hex(randomblob(4)) || '-0000-4000-8000-' || hex(randomblob(6))), '${quiet.id}', i,
      case i when 606 then 'labels' else 'connection' end, '',
      '{"status":"connected","lastDisconnectReason":""}', 1, unixepoch() * 1000, 'delivered' from n`)
  const limit = new AbortController()
  const { body } = await fetch(`${world.run.baseUrl}/sse?events=labels`, {
    headers: { token: quiet.token, 'last-event-id': '0' },
    signal: limit.signal,
  })
  let received = ''
  for await (const chunk of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    received += chunk
    if (/^(id:|: still here)/m.test(received)) break
  }
  limit.abort()
  // Before the first sign of life that a stream without news gives.
  expect(received).not.toContain('still here')
  expect([...received.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id)).toEqual(['606'])
})

test('the webhook of an instance is deleted whatever other fields are in the body', async () => {
  const record = (await shop.get('/webhook')).body
  const { status, body } = await shop.post('/webhook', { ...record, action: 'delete' })
  expect([status, body]).toEqual([200, { success: true, deleted: true }])
})

test('without COMPATIBILITY none of this is accepted', async () => {
  const admin = createAdminCaller(strict)
  const made = await admin.post('/instance/init', { name: 'Strict' })
  const caller = createInstanceCaller(made.body.token, strict)
  const responses = [
    await admin.post('/instance/create', { name: 'No' }),
    await admin.get('/globalwebhook'),
    await caller.post('/instance/reset'),
    await caller.get('/group/invitelink/120363000000000001@g.us'),
    await caller.get('/sse'),
    await caller.post('/group/list'),
    await createPlainCaller(strict.run.baseUrl, {}).get(`/instance/status?token=${made.body.token}`),
  ]
  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 405, 401])
  const refused: Seen[] = [
    await caller.post('/send/text', { number: '5511999999999@s.whatsapp.net', text: 'x' }),
    await caller.post('/message/find', { limit: 101 }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([400, 400])
})
