// Linking devices to phones of the simulated network, and unlinking them.
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import { World } from './simulator-world.ts'

const NUMBER = '491700000011'

async function listCompanions(world: World) {
  return (await world.get(`/phones/${NUMBER}`)).body.companions
}

test('scanning a QR code links the device, which reconnects and logs in', async () => {
  const world = await World.openWorld()
  await world.post('/phones', { number: NUMBER })
  const client = world.createClient()
  client.connect()
  const scanned = await world.post(`/phones/${NUMBER}/scan`, { qr: await client.waitForQr() })
  expect(scanned).toEqual({ status: 200, body: { device: 1 } })
  expect(await client.waitForClose()).toBe(515)
  await client.goOnline()
  expect(client.auth.creds.me?.id).toBe(`${NUMBER}:1@s.whatsapp.net`)
  expect(client.auth.creds.me?.lid).toMatch(/^\d+:1@lid$/)
  expect(await listCompanions(world)).toEqual([{ device: 1, online: true }])
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('a QR code is valid once, and only while its device waits', async () => {
  const world = await World.openWorld()
  await world.post('/phones', { number: NUMBER })
  const client = world.createClient()
  client.connect()
  const qr = await client.waitForQr()
  client.end()
  await until(async () => (await world.readList('/log', 'entries')).some((entry) => entry.what === 'closed'))
  expect((await world.post(`/phones/${NUMBER}/scan`, { qr })).status).toBe(409)
  expect((await world.post(`/phones/${NUMBER}/scan`, { qr: 'nonsense' })).status).toBe(400)
  expect((await world.post('/phones/499999999999/scan', { qr })).status).toBe(404)
})

test('a QR code whose keys are not those of its device is refused', async () => {
  const world = await World.openWorld()
  await world.post('/phones', { number: NUMBER })
  const [one, other] = [world.createClient(), world.createClient()]
  one.connect()
  other.connect()
  const [first = '', ...keys] = (await one.waitForQr()).split(',')
  const [, ...foreign] = (await other.waitForQr()).split(',')
  expect((await world.post(`/phones/${NUMBER}/scan`, { qr: [first, ...foreign].join(',') })).status).toBe(409)
  expect((await world.post(`/phones/${NUMBER}/scan`, { qr: [first, ...keys].join(',') })).status).toBe(200)
})

test('a pairing code typed on the phone links the device', async () => {
  const world = await World.openWorld()
  await world.post('/phones', { number: NUMBER })
  const client = world.createClient()
  client.connect()
  await client.waitForQr()
  const code = await client.socket.requestPairingCode(NUMBER)
  const shown = `${code.slice(0, 4)}-${code.slice(4).toLowerCase()}`
  const typed = await until(async () => {
    const response = await world.post(`/phones/${NUMBER}/code`, { code: shown })
    return response.status === 200 && response
  })
  expect(typed.body).toEqual({ device: 1 })
  expect(await client.waitForClose()).toBe(515)
  await client.goOnline()
  expect(client.auth.creds.registered).toBe(true)
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test('a wrong pairing code is a 409, the device stays unlinked, and the right one still works', async () => {
  const world = await World.openWorld()
  await world.post('/phones', { number: NUMBER })
  expect((await world.post(`/phones/${NUMBER}/code`, { code: 'ABCD1234' })).status).toBe(409)
  const client = world.createClient()
  client.connect()
  await client.waitForQr()
  const code = await client.socket.requestPairingCode(NUMBER)
  const listRequests = async () =>
    (await world.readList('/log', 'entries')).some((one) => one.child === 'link_code_companion_reg')
  await until(listRequests)
  const wrong = await world.post(`/phones/${NUMBER}/code`, {
    code: code === 'ABCD1234' ? 'ABCD1235' : 'ABCD1234',
  })
  expect(wrong.status).toBe(409)
  expect(await listCompanions(world)).toEqual([])
  expect(client.auth.creds.account).toBeUndefined()
  expect((await world.post(`/phones/${NUMBER}/code`, { code })).status).toBe(200)
})

test('a device under a name that the network does not know gets no pairing code', async () => {
  const world = await World.openWorld()
  await world.post('/phones', { number: NUMBER })
  const client = world.createClient()
  client.connect({ browser: ['Gateway', 'Nowhere', '1'] })
  await client.waitForQr()
  const refused = client.collectErrorCodes()
  const code = await client.socket.requestPairingCode(NUMBER)
  await until(async () => (await world.readList('/log', 'entries')).some((one) => one.xmlns === 'md'))
  expect((await world.post(`/phones/${NUMBER}/code`, { code })).status).toBe(409)
  expect(refused()).toEqual(['400'])
})

test('root key, phones, companions and waiting messages survive a restart', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  await world.post('/phones', { number: '491700000012' })
  const before = await world.get('/network')
  const { lid } = (await world.get(`/phones/${NUMBER}`)).body
  client.end()
  await until(async () => JSON.stringify(await listCompanions(world)).includes('false'))
  const sent = await world.post('/messages', { from: '491700000012', to: NUMBER, text: 'while you were out' })
  await world.restart()
  await client.goOnline()
  await client.waitForText(String(sent.body.id))
  const after = await world.get('/network')
  expect(after.body.rootKey).toBe(before.body.rootKey)
  expect((await world.get(`/phones/${NUMBER}`)).body.lid).toBe(lid)
})

test('a companion that its phone unlinks is logged out, and its next login fails', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  expect((await world.post(`/phones/${NUMBER}/unlink`, { device: 9 })).status).toBe(404)
  await world.post(`/phones/${NUMBER}/unlink`, { device: 1 })
  expect(await client.waitForClose()).toBe(401)
  expect(await listCompanions(world)).toEqual([])
  client.connect()
  expect(await client.waitForClose()).toBe(401)
})

test('a companion that logs out is unlinked', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  await client.socket.logout()
  await until(async () => JSON.stringify(await listCompanions(world)) === '[]')
  expect((await world.readList('/log', 'entries')).some((entry) => entry.what === 'logout')).toBe(true)
})

test('a second login of the same companion replaces the first', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  client.connect()
  expect(await client.waitForClose()).toBe(440)
  await client.waitUntilOpen()
  expect(await listCompanions(world)).toEqual([{ device: 1, online: true }])
})

test('keys of another device do not log in', async () => {
  const world = await World.openWorld()
  const client = await world.linkClient(NUMBER)
  const stranger = world.createClient()
  stranger.auth.creds.me = { ...client.auth.creds.me, id: `${NUMBER}:1@s.whatsapp.net` }
  stranger.connect()
  expect(await stranger.waitForClose()).toBe(401)
})

test('a code that is scanned twice at once links one device', async () => {
  const world = await World.openWorld()
  await world.post('/phones', { number: NUMBER })
  const client = world.createClient()
  client.connect()
  const qr = await client.waitForQr()
  const scans = await Promise.all([1, 2].map(() => world.post(`/phones/${NUMBER}/scan`, { qr })))
  expect(scans.map((scan) => scan.status).sort()).toEqual([200, 409])
  expect(await listCompanions(world)).toHaveLength(1)
})

test('a device that does not sign its identity with its own key is not linked', async () => {
  const world = await World.openWorld()
  await world.post('/phones', { number: NUMBER })
  const [client, stranger] = [world.createClient(), world.createClient()]
  const { creds } = client.auth
  const foreign = stranger.auth.creds.signedIdentityKey.private
  Object.assign(creds, { signedIdentityKey: { public: creds.signedIdentityKey.public, private: foreign } })
  client.connect()
  expect((await world.post(`/phones/${NUMBER}/scan`, { qr: await client.waitForQr() })).status).toBe(409)
  expect(await listCompanions(world)).toEqual([])
})

test('a device whose signed pre-key is forged gets no code', async () => {
  const world = await World.openWorld()
  const client = world.createClient()
  client.auth.creds.signedPreKey.signature = Buffer.alloc(64, 1)
  client.connect()
  expect(await client.waitForClose()).toBe(400)
})

test('a device refuses a pairing with a wrong secret of its QR code', async () => {
  const world = await World.openWorld()
  await world.post('/phones', { number: NUMBER })
  const client = world.createClient()
  client.connect()
  const parts = (await client.waitForQr()).split(',')
  parts[3] = Buffer.alloc(32, 1).toString('base64')
  expect((await world.post(`/phones/${NUMBER}/scan`, { qr: parts.join(',') })).status).toBe(409)
  expect(await listCompanions(world)).toEqual([])
})
