// The list of instances that operators search: filters, spellings of a search, orders, and pages while instances change.

import { beforeAll, expect, test } from 'vitest'
import { borrowForFile } from '../borrowed-world.ts'
import { createCaller } from '../caller.ts'
import { createDevice, linkDevice } from '../device.ts'
import { insertDeliveries } from '../stored-deliveries.ts'
import { until } from '../until.ts'

const world = await borrowForFile()
/** A word that no instance of another file has. */
const company = crypto
  .randomUUID()
  .slice(0, 8)
  .replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)] ?? '')
const now = Date.now()

interface Listed {
  id: string
  name: string
  [field: string]: unknown
}
interface Page {
  instances: Listed[]
  next: string
  total: number
}

async function searchInstances(query: Record<string, string> = {}): Promise<Page> {
  const search = `${company} ${query.search ?? ''}`.trim()
  const { status, body, text } = await world.admin.get(
    `/v1/instances?${new URLSearchParams({ ...query, search })}`,
  )
  expect(status, text).toBe(200)
  return body
}

const listNames = async (query?: Record<string, string>) =>
  (await searchInstances(query)).instances.map(({ name }) => name)

/** `columns`: SQL of what else its row has. */
async function createInstance(name: string, columns = ''): Promise<string> {
  const { body } = await world.admin.post('/instance/init', { name, companyId: company })
  if (columns) await world.queryDatabase(`update instances set ${columns} where id = '${body.instance.id}'`)
  return body.instance.id
}

async function insertEvents(instance: string, status: string, ages: number[]) {
  await world.queryDatabase(`insert into events
    (id, instance_id, seq, type, owner, payload, at, created_at, status) values
    ${ages
      .map(
        (age, at) => `('${crypto.randomUUID()}', '${instance}', ${at + 1}, 'messages', '', '{}', ${now - age},
          ${now - age}, 'delivered')`,
      )
      .join()}`)
  const next = status === 'pending' ? now + 3_600_000 : 'null'
  const values = { status: `'${status}'`, next_attempt_at: next, dead_at: now }
  await world.queryDatabase(insertDeliveries(`e.instance_id = '${instance}'`, values))
}

const ids: Record<string, string> = {}

beforeAll(async () => {
  ids.joao = await createInstance('São João 12', "jid = '5521900000008@s.msgnet.net'")
  ids.oslo = await createInstance('Ørsted, Straße', "jid = '552187654321@s.msgnet.net', connected = 1")
  ids.away = await createInstance(
    'ação',
    "status = 'connected', host_id = '00000000-0000-4000-8000-000000000000'",
  )
  ids.lost = await createInstance(
    'Zebra',
    "last_disconnect_reason = 'logged_out', previous_number = '4915112345678'",
  )
  await insertEvents(ids.lost, 'pending', [5000, 4000])
  await insertEvents(ids.joao, 'delivered', [9000, 1000])
  await insertEvents(ids.away, 'dead', [3000])
})

test.each([
  ['sao joao', ['São João 12']],
  ['JOÃO são', ['São João 12']],
  ['joa\u0303o', ['São João 12']],
  ['+55 21 90000-0008', ['São João 12']],
  ['(21) 90000 0008', ['São João 12']],
  ['021 90000-0008', ['São João 12']],
  ['+55 (0)21 0000-0008', []],
  ['joao 90000-0008', ['São João 12']],
  ['zebra 90000-0008', []],
  ['joao 12 +55 21 90000-0008', ['São João 12']],
  // With the digit that mobile numbers of Brazil were given later.
  ['+55 21 98765-4321', ['Ørsted, Straße']],
  ['orsted strasse', ['Ørsted, Straße']],
  ['12', ['São João 12', 'Zebra']],
  ['49 151', ['Zebra']],
  ['%', []],
  ["o'", []],
])('the search %j finds %j', async (search, found) => {
  expect(await listNames({ search })).toEqual(found)
})

test('the beginning of an id finds the instance, the middle of it does not', async () => {
  expect(await listNames({ search: ids.joao?.slice(0, 13) ?? '' })).toEqual(['São João 12'])
  expect(await listNames({ search: ids.joao?.slice(9, 23) ?? '' })).toEqual([])
})

test.each([
  [{}, ['ação', 'Ørsted, Straße', 'São João 12', 'Zebra']],
  [{ sort: '-name' }, ['Zebra', 'São João 12', 'Ørsted, Straße', 'ação']],
  [{ sort: 'created' }, ['São João 12', 'Ørsted, Straße', 'ação', 'Zebra']],
  [{ sort: '-created' }, ['Zebra', 'ação', 'Ørsted, Straße', 'São João 12']],
  [{ sort: 'state' }, ['Ørsted, Straße', 'São João 12', 'Zebra', 'ação']],
  [{ sort: 'lastEvent' }, ['Ørsted, Straße', 'Zebra', 'ação', 'São João 12']],
  [{ sort: '-lastEvent' }, ['São João 12', 'ação', 'Zebra', 'Ørsted, Straße']],
  [{ sort: '-pending', limit: '1' }, ['Zebra']],
  [{ state: 'connecting' }, ['ação']],
  [{ state: 'connecting,disconnected', reason: 'logged_out,host_away' }, ['ação', 'Zebra']],
  [{ reason: 'never_linked' }, []],
  [{ reason: 'none' }, ['Ørsted, Straße', 'São João 12']],
  [{ state: 'connected' }, []],
  [{ state: '', webhook: 'off', host: '' }, ['ação', 'Ørsted, Straße', 'São João 12', 'Zebra']],
  [{ webhook: 'failing,resting' }, []],
  [{ host: '00000000-0000-4000-8000-000000000000' }, ['ação']],
])('the query %j lists %j', async (query, names) => {
  expect(await listNames(query)).toEqual(names)
})

test('a listed instance has its number, reason, events and webhook beside its record', async () => {
  const { instances, total } = await searchInstances({ reason: 'logged_out' })
  const { body } = await world.admin.get(`/v1/instances/${ids.lost}`)
  expect(total).toBe(1)
  expect(instances[0]).toEqual({
    ...body.instance,
    coverage: body.coverage,
    number: '4915112345678',
    reason: 'logged_out',
    lastEventAt: new Date(now - 4000).toISOString(),
    pending: 2,
    dead: 0,
    webhook: { state: 'off', since: '', cause: '', status: 0, id: '', inherited: false },
    host: null,
  })
})

test('each page goes on after the last one while instances come, go and are renamed', async () => {
  const word = `w${company}`
  const name = (n: number) => `${word} ${String(n).padStart(2, '0')}`
  const made: string[] = []
  for (let n = 10; n < 20; n++) made.push(await createInstance(name(n)))
  const first = await searchInstances({ search: word, limit: '4' })
  expect([first.total, first.instances.map((one) => one.name)]).toEqual([10, [10, 11, 12, 13].map(name)])
  // The last of the page goes, one comes before it, and a later one is renamed to stand before it.
  await world.admin.delete(`/v1/instances/${made[3]}`)
  await createInstance(name(5))
  await world.queryDatabase(
    `update instances set name = '${name(1)}', folded_name = '' where id = '${made[9]}'`,
  )
  const second = await searchInstances({ search: word, limit: '4', after: first.next })
  expect(second.instances.map((one) => one.name)).toEqual([14, 15, 16, 17].map(name))
  const third = await searchInstances({ search: word, limit: '4', after: second.next })
  expect([third.next, third.instances.map((one) => one.name)]).toEqual(['', [name(18)]])
  const beyond = await searchInstances({ search: word, sort: '-name', limit: '200' })
  expect([beyond.instances.length, beyond.total, beyond.next]).toEqual([10, 10, ''])
})

test('a renamed instance is found by its new name without accents', async () => {
  const { body } = await world.admin.post('/instance/init', { name: 'Old', companyId: company })
  await world.callAs(body.token).post('/instance/updateInstanceName', { name: 'Pão de Açúcar' })
  expect(await listNames({ search: 'pao acucar' })).toEqual(['Pão de Açúcar'])
})

test('an instance keeps the number of the device that was unlinked', async () => {
  const device = await linkDevice(world, await createDevice(world, `Kept ${company}`))
  const { instances } = await searchInstances({ search: 'kept' })
  expect(instances[0]).toMatchObject({ owner: device.number, number: device.number, reason: '' })
  expect(instances[0]?.host).toMatchObject({ id: expect.any(String), region: expect.any(String) })
  await device.caller.post('/instance/disconnect')
  const [unlinked] = await until(async () => {
    const page = await searchInstances({ search: `kept ${device.number}`, state: 'disconnected' })
    return page.total === 1 && page.instances
  })
  expect(unlinked).toMatchObject({ owner: '', number: device.number, reason: 'by_request' })
})

test.each([
  ['state=open', 'invalid_query'],
  ['state=connected,', 'invalid_query'],
  ['reason=logged_out,new', 'invalid_query'],
  ['webhook=gone', 'invalid_query'],
  ['host=eu-west', 'invalid_query'],
  ['sort=pending', 'invalid_query'],
  ['after=abc', 'invalid_query'],
  [`after=${btoa('["-name","a","b"]').replaceAll('=', '')}`, 'invalid_query'],
  [`search=${'x'.repeat(101)}`, 'invalid_query'],
  ['status=connected', 'invalid_query'],
  ['limit=0', 'invalid_limit'],
  ['limit=201', 'invalid_limit'],
])('GET /v1/instances?%s is 400 %s', async (query, code) => {
  const { status, body } = await world.admin.get(`/v1/instances?${query}`)
  expect([status, body.error]).toEqual([400, code])
})

test('an admin token of scope read lists instances, and the token of an instance does not', async () => {
  const { body } = await world.admin.post('/v1/tokens', { name: 'Dashboard', scope: 'read' })
  const reader = createCaller(world.run.baseUrl, { admintoken: body.token })
  expect((await reader.get('/v1/instances?limit=1')).status).toBe(200)
  expect((await reader.get('/v1/overview')).status).toBe(200)
  const { body: made } = await world.admin.post('/instance/init', { name: 'One', companyId: company })
  expect((await world.callAs(made.token).get('/v1/instances')).status).toBe(401)
})
