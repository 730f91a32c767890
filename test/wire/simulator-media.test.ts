// Files and pictures over the simulated network, sealed and fetched over HTTPS as the library does it.
import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setDefaultCACertificates } from 'node:tls'
import { downloadMediaMessage, type WAMessage } from 'baileys'
import { afterAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000121'
const FRIEND = '491700000122'
const CHAT = `${FRIEND}@s.whatsapp.net`

// The smallest JPEG there is: one pixel.
const JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA=',
  'base64',
)
const PIXEL = Buffer.concat([JPEG, Buffer.from([0xff, 0xd9])])
const hex = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

// The library's own files of what is sent: another test looks at what appears where all tests put theirs.
const { TMPDIR } = process.env
const temporary = mkdtempSync(join(tmpdir(), 'library-'))
process.env.TMPDIR = temporary

afterAll(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
  rmSync(temporary, { recursive: true })
})

async function worldWithFriend() {
  const world = await World.open()
  const client = await world.linked(GATEWAY)
  await world.post('/phones', { number: FRIEND })
  // The library uploads and downloads with what the whole process trusts: here, this one host.
  setDefaultCACertificates([world.simulator.mediaCa])
  return { world, client }
}

async function inbox(world: World, count: number) {
  return until(async () => {
    const messages = await world.list(`/phones/${FRIEND}/inbox`, 'messages')
    return messages.length >= count && messages
  })
}

async function fetched(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init)
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
}

const downloaded = (message: WAMessage): Promise<Buffer> => downloadMediaMessage(message, 'buffer', {})

test('what a companion sends is fetched, opened and checked by the phone', async () => {
  const { world, client } = await worldWithFriend()
  const file = Buffer.from('%PDF-1.7 a document')
  const { socket } = client
  await socket.sendMessage(CHAT, { image: PIXEL, caption: 'one pixel', jpegThumbnail: '' })
  await socket.sendMessage(CHAT, { document: file, mimetype: 'application/pdf', fileName: 'a.pdf' })
  await socket.sendMessage(CHAT, { audio: file, mimetype: 'audio/ogg; codecs=opus', ptt: true, seconds: 1 })
  await socket.sendMessage(CHAT, { sticker: PIXEL })
  expect(await inbox(world, 4)).toMatchObject([
    { type: 'image', caption: 'one pixel', mediaSha256: hex(PIXEL) },
    { type: 'document', mediaSha256: hex(file) },
    { type: 'audio', mediaSha256: hex(file) },
    { type: 'sticker', mediaSha256: hex(PIXEL) },
  ])
  expect(await world.list('/unknown', 'requests')).toEqual([])
})

test.each(['image', 'video', 'audio', 'document'])(
  'a companion downloads the %s that a phone sends',
  async (kind) => {
    const { world, client } = await worldWithFriend()
    const file = Buffer.concat([PIXEL, Buffer.alloc(100_000, kind)])
    const sent = await world.post('/messages', {
      from: FRIEND,
      to: GATEWAY,
      [kind]: file.toString('base64'),
      caption: 'look',
    })
    const received = await client.text(String(sent.body.id))
    expect(await downloaded(received)).toEqual(file)
  },
)

test('places and people are told by name', async () => {
  const { world, client } = await worldWithFriend()
  await client.socket.sendMessage(CHAT, {
    location: { degreesLatitude: 52.5, degreesLongitude: 13.4, name: 'Berlin' },
  })
  const vcard = 'BEGIN:VCARD\nVERSION:3.0\nFN:Anna\nEND:VCARD'
  await client.socket.sendMessage(CHAT, { contacts: { displayName: 'Anna', contacts: [{ vcard }] } })
  expect(await inbox(world, 2)).toMatchObject([{ type: 'location', text: 'Berlin' }, { type: 'contact' }])
})

test('a file that is not what the message promises has no hash in the inbox', async () => {
  const { world, client } = await worldWithFriend()
  const sent = await client.socket.sendMessage(CHAT, {
    document: Buffer.from('genuine'),
    mimetype: 'text/plain',
  })
  const { documentMessage } = sent?.message ?? {}
  await client.socket.relayMessage(
    CHAT,
    { documentMessage: { ...documentMessage, fileSha256: Buffer.alloc(32) } },
    {},
  )
  const [genuine, forged] = await inbox(world, 2)
  expect(genuine?.mediaSha256).toBe(hex(Buffer.from('genuine')))
  expect(forged).not.toHaveProperty('mediaSha256')
  expect(forged).toHaveProperty('mediaError')
})

test('nothing is taken without a pass, or under a hash that is not its own', async () => {
  const { client } = await worldWithFriend()
  const { auth, hosts } = await client.socket.refreshMediaConn()
  const origin = `https://${hosts[0]?.hostname}`
  const post = (token: string, pass: string) => {
    const url = `${origin}/mms/image/${token}?auth=${encodeURIComponent(pass)}&token=${token}`
    return fetched(url, { method: 'POST', body: 'some bytes' })
  }
  const upload = async (token: string, pass: string) => (await post(token, pass)).status
  const token = createHash('sha256').update('some bytes').digest('base64url')
  expect(await upload(token, 'nobody.xyz')).toBe(401)
  expect(await upload('A'.repeat(43), auth)).toBe(400)
  expect(await upload('..%2F..%2Fnetwork.db', auth)).toBe(400)
  expect(await upload(token, auth)).toBe(200)
  const padded = await post(`${token}=`, auth)
  const { direct_path: path } = JSON.parse(padded.body.toString())
  const url = origin + path
  expect((await fetched(url)).body.toString()).toBe('some bytes')
  const part = await fetched(url, { headers: { range: 'bytes=5-8' } })
  expect([part.status, part.body.toString()]).toEqual([206, 'byte'])
  const status = async (place: string) => (await fetched(origin + place)).status
  expect(await status(`${path}&hash=${token}=&mms-type=image&__wa-mms=`)).toBe(200)
  expect(await status(`${path}&hash=${'B'.repeat(43)}`)).toBe(404)
  expect(await status(path.replace(token, 'B'.repeat(43)))).toBe(404)
  for (const cut of [path.split('?')[0], path.replace(/&oh=[^&]*/, ''), path.replace(/oe=./, 'oe=9')])
    expect(await status(cut)).toBe(403)
})

test('the host keeps certificate, files and place over a restart, and vouches for nobody else', async () => {
  const { world, client } = await worldWithFriend()
  const { mediaCa } = (await world.get('/network')).body
  const certificate = new X509Certificate(String(mediaCa))
  expect(certificate.ca).toBe(false)
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
  const sent = await world.post('/messages', {
    from: FRIEND,
    to: GATEWAY,
    image: PIXEL.toString('base64'),
  })
  const received = await client.text(String(sent.body.id))
  await world.restart()
  expect((await world.get('/network')).body.mediaCa).toBe(mediaCa)
  expect(await downloaded(received)).toEqual(PIXEL)
})

test('a companion that can not fetch a file asks its phone, which tells where it is or that it is gone', async () => {
  const { world, client } = await worldWithFriend()
  const image = PIXEL.toString('base64')
  const sent = await world.post('/messages', { from: FRIEND, to: GATEWAY, image })
  const received = await client.text(String(sent.body.id))
  const stale = structuredClone(received)
  if (stale.message?.imageMessage) stale.message.imageMessage.directPath = '/v/gone'
  // The library learns the host's name only so.
  await client.socket.refreshMediaConn()
  expect(await downloaded(await client.socket.updateMediaMessage(stale))).toEqual(PIXEL)
  const foreign = { ...stale, key: { ...stale.key, id: 'NEVERSENT' } }
  await expect(client.socket.updateMediaMessage(foreign)).rejects.toMatchObject({
    output: { statusCode: 404 },
  })
})

test('a group picture is set, told, fetched by its address and taken away', async () => {
  const { world, client } = await worldWithFriend()
  const { socket } = client
  const wish = { subject: 'Club', owner: FRIEND, participants: [GATEWAY], admins: [GATEWAY], locked: true }
  const jid = String((await world.post('/groups', wish)).body.jid)
  const changes: (string | null | undefined)[] = []
  socket.ev.on('contacts.update', (updates) => changes.push(...updates.map(({ imgUrl }) => imgUrl)))
  const set = (content: Buffer) =>
    socket.query({
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'w:profile:picture', target: jid },
      content: [{ tag: 'picture', attrs: { type: 'image' }, content }],
    })
  await expect(set(Buffer.from('no picture'))).rejects.toMatchObject({ data: 406 })
  await set(PIXEL)
  const { picture } = (await world.get(`/groups/${jid}`)).body
  expect(picture).toMatchObject({ sha256: hex(PIXEL), width: 1, height: 1 })
  const url = await socket.profilePictureUrl(jid, 'image')
  expect((await fetched(url ?? '')).body).toEqual(PIXEL)
  await socket.removeProfilePicture(jid)
  expect((await world.get(`/groups/${jid}`)).body.picture).toBeNull()
  await until(() => changes.length === 2)
  expect(changes).toEqual(['changed', 'removed'])
  await world.post(`/groups/${jid}/participants`, { action: 'demote', by: FRIEND, participants: [GATEWAY] })
  await expect(set(PIXEL)).rejects.toMatchObject({ data: 401 })
})
