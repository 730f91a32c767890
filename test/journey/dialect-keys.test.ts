// An Idempotency-Key in the forms below prefixes: one effect, however many calls of the contract a request is, and a response that says it is repeated.

import { describe, expect, test } from 'vitest'
import { type Caller, createPlainCaller } from '../caller.ts'
import { createPhone } from '../device.ts'
import { borrowEvolution, nameIn, TOKEN } from '../evolution-scene.ts'
import type { Seen } from '../scene.ts'
import { until } from '../until.ts'

const { world, own, account, friend, created, adminKey, callAs } = await borrowEvolution()
const id: string = created.body.instance.instanceId
const below = (path: string, credential: Record<string, string>) =>
  createPlainCaller(`${world.run.baseUrl}${path}`, credential)
const graph = below('/graph', { authorization: `Bearer ${TOKEN}` })
const uazapi = below('/uazapi', { token: TOKEN })
type Key = Record<string, string>
const createKey = (): Key => ({ 'idempotency-key': crypto.randomUUID() })
const readReplayed = ({ headers }: { headers: Headers }) => headers.get('idempotency-replayed')

async function listTexts(number: string, last: string): Promise<string[]> {
  await own.post(nameIn('/message/sendText'), { number, text: last })
  return until(async () => {
    const { messages } = await world.sim('GET', `/phones/${number}/inbox`)
    const texts = (messages as Seen[]).map(({ text }) => text as string)
    return texts.includes(last) && texts
  })
}

test('a repeated response says so in each form, a refusal too', async () => {
  const text = { to: friend, type: 'text', text: { body: 'by graph' } }
  const requests: [string, (key: Key) => ReturnType<Caller['post']>, number][] = [
    [
      'evolution',
      (key) => own.post(nameIn('/message/sendText'), { number: friend, text: 'by evolution' }, key),
      201,
    ],
    ['graph', (key) => graph.post(`/${id}/messages`, text, key), 200],
    ['uazapi', (key) => uazapi.post('/send/text', { number: friend, text: 'by uazapi' }, key), 200],
    ['creation', (key) => callAs(adminKey).post('/instance/create', { instanceName: 'once' }, key), 201],
  ]
  for (const [form, request, status] of requests) {
    const key = createKey()
    const [first, again] = [await request(key), await request(key)]
    expect([form, first.status, readReplayed(first)]).toEqual([form, status, null])
    expect([form, again.status, readReplayed(again)]).toEqual([form, status, 'true'])
    expect(again.body).toEqual(first.body)
  }
  await world.sim('POST', '/faults', { kind: 'ack_error', code: 479, number: account, count: 1 })
  const key = createKey()
  const refuse = () => own.post(nameIn('/message/sendText'), { number: friend, text: 'refused' }, key)
  const [first, again] = [await refuse(), await refuse()]
  expect([first.status, readReplayed(first), again.status, readReplayed(again)]).toEqual([
    422,
    null,
    422,
    'true',
  ])
  expect(again.body).toEqual(first.body)
})

test('by one key an invitation reaches each of several people once', async () => {
  const { jid } = await world.sim('POST', '/groups', {
    subject: 'Fans',
    owner: account,
    participants: [friend],
  })
  const people = [await createPhone(world, 'Bia'), await createPhone(world, 'Caio')]
  const body = { groupJid: jid, description: 'Come in', numbers: people }
  const key = createKey()
  for (const replayed of [null, 'true']) {
    const sent = await own.post(nameIn('/group/sendInvite'), body, key)
    expect([sent.status, sent.body.send, readReplayed(sent)]).toEqual([200, true, replayed])
  }
  for (const person of people) {
    const texts = await listTexts(person, 'after it')
    expect(texts.filter((text) => text.startsWith('Come in'))).toHaveLength(1)
  }
  const other = await own.post(nameIn('/group/sendInvite'), { ...body, description: 'Others' }, key)
  expect(other.status).toBe(422)
})

test('an invitation that stops at a person is by its key not sent again to those before', async () => {
  const { jid } = await world.sim('POST', '/groups', {
    subject: 'Fans',
    owner: account,
    participants: [friend],
  })
  const person = await createPhone(world, 'Davi')
  const body = { groupJid: jid, description: 'Come in', numbers: [person, '5511000000098'] }
  const key = createKey()
  for (let time = 0; time < 2; time += 1)
    expect((await own.post(nameIn('/group/sendInvite'), body, key)).status).toBe(400)
  const texts = await listTexts(person, 'after it')
  expect(texts.filter((text) => text.startsWith('Come in'))).toHaveLength(1)
})

test('by one key a group with a description is created and described once', async () => {
  const body = { subject: 'Club', participants: [friend], description: 'Ours' }
  const countChanges = async () => {
    const { entries } = await world.sim('GET', `/log?number=${account}`)
    return (entries as Seen[]).filter(({ child }) => child === 'create' || child === 'description').length
  }
  const before = await countChanges()
  const key = createKey()
  const first = await own.post(nameIn('/group/create'), body, key)
  const again = await own.post(nameIn('/group/create'), body, key)
  expect([first.status, again.status]).toEqual([201, 201])
  expect([again.body, readReplayed(again)]).toEqual([first.body, 'true'])
  expect(await countChanges()).toBe(before + 2)
})

describe('a creation that is repeated by its key', () => {
  const repeat = async (body: object) => {
    const key = createKey()
    const create = () => callAs(adminKey).post('/instance/create', body, key)
    return { first: await create(), create }
  }

  test('is answered as before, also with a token that its caller chose', async () => {
    const { first, create } = await repeat({ instanceName: 'chosen', token: 'a-key-that-is-sent-twice' })
    const again = await create()
    expect([first.status, again.status, readReplayed(again)]).toEqual([201, 201, 'true'])
    expect(again.body).toEqual(first.body)
  })

  test('deletes nothing, whatever refuses its connection', async () => {
    const { first, create } = await repeat({ instanceName: 'linked', qrcode: true })
    expect(first.status).toBe(201)
    const { instanceId } = first.body.instance
    const isThere = `select id from instances where id = '${instanceId}'`
    // Linked meanwhile, by a host that is away now.
    await world.queryDatabase(
      `update instances set host_id = 'away', jid = '5511600004321@s.msgnet.net' where id = '${instanceId}'`,
    )
    expect((await create()).status).toBe(502)
    expect(await world.queryDatabase(isThere)).toEqual([{ id: instanceId }])
  })

  test('creates the instance after all, if that was deleted because it could not be connected', async () => {
    const [host] = (await world.admin.get('/v1/hosts')).body.hosts
    expect((await world.admin.post(`/v1/hosts/${host.id}/drain`)).status).toBe(200)
    const { first, create } = await repeat({ instanceName: 'later', qrcode: true })
    expect(first.status).toBe(502)
    expect((await world.admin.delete(`/v1/hosts/${host.id}/drain`)).status).toBe(200)
    const again = await create()
    expect([again.status, again.body.instance?.instanceName]).toEqual([201, 'later'])
  })
})
