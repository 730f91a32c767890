// The control interface of the simulated network: requests and responses.
import { expect, test } from 'vitest'
import { World } from './simulator-world.ts'

const NUMBER = '491700000041'

test('creating a phone twice returns the same phone, with the new name', async () => {
  const world = await World.openWorld()
  const first = await world.post('/phones', { number: NUMBER })
  const second = await world.post('/phones', { number: NUMBER, name: 'Somebody' })
  expect(second).toEqual(first)
  expect(first.body).toMatchObject({ number: NUMBER, jid: `${NUMBER}@s.msgnet.net` })
  expect(first.body.lid).toMatch(/^\d{15}@lid$/)
  expect(String(first.body.lid)).not.toContain(NUMBER.slice(2))
})

test.each([
  ['/phones', { number: 'abc' }, 'number'],
  ['/phones', {}, 'number'],
  ['/phones', { number: NUMBER, age: 4 }, 'age'],
  ['/messages', { from: NUMBER, to: NUMBER }, 'text'],
  ['/messages', { from: NUMBER, to: NUMBER, image: 'not base64!' }, 'image'],
  ['/messages', { from: NUMBER, to: NUMBER, text: 'x', image: 'aGVsbG8=' }, 'text'],
  ['/messages', { from: NUMBER, to: NUMBER, text: 'x', raw: 'aGVsbG8=' }, 'text'],
  ['/phones/491700000041/frames', {}, 'raw'],
  ['/groups', { owner: NUMBER, participants: [] }, 'subject'],
  ['/groups', { subject: 'x'.repeat(101), owner: NUMBER }, 'subject'],
  ['/groups', { subject: 'x', owner: NUMBER, admins: [NUMBER] }, 'admins'],
  ['/calls', { from: NUMBER }, 'to'],
  ['/faults', { kind: 'ack_error' }, 'code'],
  ['/messages', { from: NUMBER, to: NUMBER, text: 'x', count: 0 }, 'count'],
  ['/phones/491700000041/scan', {}, 'qr'],
  ['/phones/491700000041/code', { code: 'short' }, 'code'],
])('a bad body of %s is a 400 that names the field: %j', async (path, body, field) => {
  const world = await World.openWorld()
  await world.post('/phones', { number: NUMBER })
  const response = await world.post(path, body)
  expect(response.status).toBe(400)
  expect(response.body.field).toBe(field)
})

test('an unknown phone, message or route is a 404', async () => {
  const world = await World.openWorld()
  await world.post('/phones', { number: NUMBER })
  expect((await world.get('/phones/491799999999')).status).toBe(404)
  expect((await world.get('/phones/491799999999/inbox')).status).toBe(404)
  expect((await world.get(`/phones/${NUMBER}/inbox?after=NONE`)).status).toBe(404)
  expect((await world.get(`/phones/${NUMBER}/inbox?after=${Date.now()}`)).body).toEqual({ messages: [] })
  expect((await world.post('/messages', { from: NUMBER, to: '491799999999', text: 'x' })).status).toBe(404)
  expect((await world.post('/messages/NONE/react', { by: NUMBER, text: 'x' })).status).toBe(404)
  expect((await world.get('/groups/120363000000000000@g.us')).status).toBe(404)
  expect((await world.post('/clubs', { subject: 'x' })).status).toBe(404)
})

test('a phone is found by number, by neutral id and by LID', async () => {
  const world = await World.openWorld()
  const { body } = await world.post('/phones', { number: NUMBER })
  for (const name of [NUMBER, body.jid, body.lid]) {
    expect((await world.get(`/phones/${name}`)).body.number).toBe(NUMBER)
  }
})

test('the log lists what the network received, of one number, after a position', async () => {
  const world = await World.openWorld()
  await world.linkClient(NUMBER)
  const entries = await world.readList(`/log?number=${NUMBER}`, 'entries')
  expect(entries[0]).toMatchObject({ what: 'login', number: NUMBER, device: 1 })
  const upload = { what: 'iq', xmlns: 'encrypt', type: 'set', child: 'registration' }
  expect(entries.some((entry) => Object.entries(upload).every(([key, value]) => entry[key] === value))).toBe(
    true,
  )
  const remaining = await world.readList(`/log?number=${NUMBER}&after=${entries[2]?.seq}`, 'entries')
  expect(remaining[0]).toEqual(entries[3])
  expect(await world.readList(`/log?after=${Date.now() + 1000}`, 'entries')).toEqual([])
  for (const after of ['abc', '', '-1', '1.5'])
    expect((await world.get(`/log?after=${after}`)).body.field).toBe('after')
})

test('a reset leaves an empty network under the same root key', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  const before = await world.get('/network')
  await world.post('/reset')
  expect(await client.waitForClose()).toBe(428)
  expect((await world.get(`/phones/${NUMBER}`)).status).toBe(404)
  expect(await world.get('/network')).toEqual(before)
  client.connect()
  expect(await client.waitForClose()).toBe(401)
})
