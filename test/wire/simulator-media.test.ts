// Files and pictures over the simulated network, encrypted and downloaded over HTTPS as the library does it.
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
const hashHex = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

// The library's temporary files have a folder of their own here, because another test checks the common one.
const { TMPDIR } = process.env
const temporary = mkdtempSync(join(tmpdir(), 'library-'))
process.env.TMPDIR = temporary

afterAll(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
  rmSync(temporary, { recursive: true })
})

async function openWorldWithFriend() {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  await world.post('/phones', { number: FRIEND })
  // The library uploads and downloads with the certificates that the whole process trusts: here, this one host's.
  setDefaultCACertificates([world.simulator.mediaCa])
  return { world, client }
}

async function waitForInbox(world: World, count: number) {
  return until(async () => {
    const messages = await world.readList(`/phones/${FRIEND}/inbox`, 'messages')
    return messages.length >= count && messages
  })
}

async function fetchFile(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init)
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) }
}

const downloadFile = (message: WAMessage): Promise<Buffer> => downloadMediaMessage(message, 'buffer', {})

test('the phone downloads, decrypts and checks a file of a companion', async () => {
  const { world, client } = await openWorldWithFriend()
  const file = Buffer.from('%PDF-1.7 a document')
  const { socket } = client
  await socket.sendMessage(CHAT, { image: PIXEL, caption: 'one pixel', jpegThumbnail: '' })
  await socket.sendMessage(CHAT, { document: file, mimetype: 'application/pdf', fileName: 'a.pdf' })
  await socket.sendMessage(CHAT, { audio: file, mimetype: 'audio/ogg; codecs=opus', ptt: true, seconds: 1 })
  await socket.sendMessage(CHAT, { sticker: PIXEL })
  expect(await waitForInbox(world, 4)).toMatchObject([
    { type: 'image', caption: 'one pixel', mediaSha256: hashHex(PIXEL) },
    { type: 'document', mediaSha256: hashHex(file) },
    { type: 'audio', mediaSha256: hashHex(file) },
    { type: 'sticker', mediaSha256: hashHex(PIXEL) },
  ])
  expect(await world.readList('/unknown', 'requests')).toEqual([])
})

test.each(['image', 'video', 'audio', 'document'])(
  'a companion downloads the %s that a phone sends',
  async (kind) => {
    const { world, client } = await openWorldWithFriend()
    const file = Buffer.concat([PIXEL, Buffer.alloc(100_000, kind)])
    const sent = await world.post('/messages', {
      from: FRIEND,
      to: GATEWAY,
      [kind]: file.toString('base64'),
      caption: 'look',
    })
    const received = await client.waitForText(String(sent.body.id))
    expect(await downloadFile(received)).toEqual(file)
  },
)

test('locations and contacts are shown by name', async () => {
  const { world, client } = await openWorldWithFriend()
  await client.socket.sendMessage(CHAT, {
    location: { degreesLatitude: 52.5, degreesLongitude: 13.4, name: 'Berlin' },
  })
  const vcard = 'BEGIN:VCARD\nVERSION:3.0\nFN:Anna\nEND:VCARD'
  await client.socket.sendMessage(CHAT, { contacts: { displayName: 'Anna', contacts: [{ vcard }] } })
  expect(await waitForInbox(world, 2)).toMatchObject([
    { type: 'location', text: 'Berlin' },
    { type: 'contact' },
  ])
})

test('a file that differs from its message has no hash in the inbox', async () => {
  const { world, client } = await openWorldWithFriend()
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
  const [genuine, forged] = await waitForInbox(world, 2)
  expect(genuine?.mediaSha256).toBe(hashHex(Buffer.from('genuine')))
  expect(forged).not.toHaveProperty('mediaSha256')
  expect(forged).toHaveProperty('mediaError')
})

test('an upload without a pass, or under a wrong hash, is refused', async () => {
  const { client } = await openWorldWithFriend()
  const { auth, hosts } = await client.socket.refreshMediaConn()
  const origin = `https://${hosts[0]?.hostname}`
  const postFile = (token: string, authToken: string) => {
    const url = `${origin}/mms/image/${token}?auth=${encodeURIComponent(authToken)}&token=${token}`
    return fetchFile(url, { method: 'POST', body: 'some bytes' })
  }
  const uploadFile = async (token: string, authToken: string) => (await postFile(token, authToken)).status
  const token = createHash('sha256').update('some bytes').digest('base64url')
  expect(await uploadFile(token, 'nobody.xyz')).toBe(401)
  expect(await uploadFile('A'.repeat(43), auth)).toBe(400)
  expect(await uploadFile('..%2F..%2Fnetwork.db', auth)).toBe(400)
  expect(await uploadFile(token, auth)).toBe(200)
  const padded = await postFile(`${token}=`, auth)
  const { direct_path: path } = JSON.parse(padded.body.toString())
  const url = origin + path
  expect((await fetchFile(url)).body.toString()).toBe('some bytes')
  const part = await fetchFile(url, { headers: { range: 'bytes=5-8' } })
  expect([part.status, part.body.toString()]).toEqual([206, 'byte'])
  const fetchStatus = async (place: string) => (await fetchFile(origin + place)).status
  expect(await fetchStatus(`${path}&hash=${token}=&mms-type=image&__wa-mms=`)).toBe(200)
  expect(await fetchStatus(`${path}&hash=${'B'.repeat(43)}`)).toBe(404)
  expect(await fetchStatus(path.replace(token, 'B'.repeat(43)))).toBe(404)
  for (const cut of [path.split('?')[0], path.replace(/&oh=[^&]*/, ''), path.replace(/oe=./, 'oe=9')])
    expect(await fetchStatus(cut)).toBe(403)
})

test('a media host has the same certificate, files and port after a restart, and signs no other certificate', async () => {
  const { world, client } = await openWorldWithFriend()
  const { mediaCa } = (await world.get('/network')).body
  const certificate = new X509Certificate(String(mediaCa))
  expect(certificate.ca).toBe(false)
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1')
  const sent = await world.post('/messages', {
    from: FRIEND,
    to: GATEWAY,
    image: PIXEL.toString('base64'),
  })
  const received = await client.waitForText(String(sent.body.id))
  await world.restart()
  expect((await world.get('/network')).body.mediaCa).toBe(mediaCa)
  expect(await downloadFile(received)).toEqual(PIXEL)
})

test('a companion that cannot download a file requests it from its phone, which names the new path or reports it missing', async () => {
  const { world, client } = await openWorldWithFriend()
  const image = PIXEL.toString('base64')
  const sent = await world.post('/messages', { from: FRIEND, to: GATEWAY, image })
  const received = await client.waitForText(String(sent.body.id))
  const stale = structuredClone(received)
  if (stale.message?.imageMessage) stale.message.imageMessage.directPath = '/v/gone'
  // Only this request gives the library the host's name.
  await client.socket.refreshMediaConn()
  expect(await downloadFile(await client.socket.updateMediaMessage(stale))).toEqual(PIXEL)
  const foreign = { ...stale, key: { ...stale.key, id: 'NEVERSENT' } }
  await expect(client.socket.updateMediaMessage(foreign)).rejects.toMatchObject({
    output: { statusCode: 404 },
  })
})

test('a group picture is set, notified, downloaded and removed', async () => {
  const { world, client } = await openWorldWithFriend()
  const { socket } = client
  const wish = { subject: 'Club', owner: FRIEND, participants: [GATEWAY], admins: [GATEWAY], locked: true }
  const jid = String((await world.post('/groups', wish)).body.jid)
  const changes: (string | null | undefined)[] = []
  socket.ev.on('contacts.update', (updates) => changes.push(...updates.map(({ imgUrl }) => imgUrl)))
  const setPicture = (content: Buffer) =>
    socket.query({
      tag: 'iq',
      attrs: { to: '@s.whatsapp.net', type: 'set', xmlns: 'w:profile:picture', target: jid },
      content: [{ tag: 'picture', attrs: { type: 'image' }, content }],
    })
  await expect(setPicture(Buffer.from('no picture'))).rejects.toMatchObject({ data: 406 })
  await setPicture(PIXEL)
  const { picture } = (await world.get(`/groups/${jid}`)).body
  expect(picture).toMatchObject({ sha256: hashHex(PIXEL), width: 1, height: 1 })
  const url = await socket.profilePictureUrl(jid, 'image')
  expect((await fetchFile(url ?? '')).body).toEqual(PIXEL)
  await socket.removeProfilePicture(jid)
  expect((await world.get(`/groups/${jid}`)).body.picture).toBeNull()
  await until(() => changes.length === 2)
  expect(changes).toEqual(['changed', 'removed'])
  await world.post(`/groups/${jid}/participants`, { action: 'demote', by: FRIEND, participants: [GATEWAY] })
  await expect(setPicture(PIXEL)).rejects.toMatchObject({ data: 401 })
})
