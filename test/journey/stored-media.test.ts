// Files of received messages through a whole gateway: the link in the event, who can open it and how long, and what a kill and a deletion do to it.

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDevice, createPhone, linkDevice, waitUntilReachable } from '../device.ts'
import { type Seen, startScene } from '../scene.ts'
import { until } from '../until.ts'

const scene = await startScene({ MEDIA: 'keep', MEDIA_MAX_MB: '1' })
const { world, device, receiver } = scene
const friend = await createPhone(world)
const words = Buffer.from(`the plan, in plain words ${randomBytes(30_000).toString('base64')}`)

async function receiveFile(to = device.number): Promise<Seen> {
  const body = {
    from: friend,
    to,
    document: words.toString('base64'),
    mimetype: 'text/plain',
    caption: 'look',
  }
  const { id } = await world.sim('POST', '/messages', body)
  return (await scene.waitForEvent('messages', ({ message }) => message.messageid === id)).message
}

/** All files below the folder of kept media. */
const listStored = (): string[] =>
  readdirSync(join(world.dataDir, 'media'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))

/** The same link when its day is over: its seal opens nothing. */
function endSeal(link: string): URL {
  const url = new URL(link)
  url.searchParams.set('file', 'over')
  return url
}
const fetchText = async (url: string | URL, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers })
  return { status: response.status, text: await response.text() }
}

test('the event of a message has a link that opens its file for everyone for a day, and with the token after that', async () => {
  const { fileURL } = await receiveFile()
  expect(new URL(fileURL).origin).toBe(world.run.baseUrl)
  expect(await fetchText(fileURL)).toEqual({ status: 200, text: String(words) })
  const later = endSeal(fileURL)
  expect((await fetchText(later)).status).toBe(401)
  expect(await fetchText(later, { token: device.token })).toEqual({ status: 200, text: String(words) })
  const stranger = await linkDevice(world, await createDevice(world, 'Stranger'))
  expect((await fetchText(later, { token: stranger.token })).status).toBe(404)
  expect((await fetchText(later, { token: 'none' })).status).toBe(401)
  const found = await device.caller.post('/message/find', { limit: 1 })
  expect(await fetchText(found.body.messages[0].fileURL)).toEqual({ status: 200, text: String(words) })
  expect((await world.admin.get('/v1/capabilities')).body.capabilities.mediaStored).toBe(true)
})

test('a stored file is sealed, and comes without the network, also while the device is not connected', async () => {
  const { fileURL, messageid } = await receiveFile()
  expect(listStored().length).toBeGreaterThan(0)
  for (const file of listStored()) expect(readFileSync(file).includes('plain words')).toBe(false)
  await world.sim('DELETE', `/messages/${messageid}/media`, { phone: 'lost' })
  expect(await fetchText(fileURL)).toEqual({ status: 200, text: String(words) })
  const base64 = await device.caller.post('/message/download', { id: messageid, return_base64: true })
  expect(Buffer.from(base64.body.base64Data, 'base64').equals(words)).toBe(true)
  const other = await linkDevice(world, await createDevice(world, 'Other'))
  const body = { from: friend, to: other.number, document: words.toString('base64'), mimetype: 'text/plain' }
  await world.sim('POST', '/messages', body)
  const findLink = async () =>
    (await other.caller.post('/message/find', { limit: 1 })).body.messages[0]?.fileURL
  const link = await until(findLink)
  await other.caller.post('/instance/disconnect')
  expect((await other.caller.get('/instance/status')).body.loggedIn).toBe(false)
  expect(await fetchText(link)).toEqual({ status: 200, text: String(words) })
  expect(await fetchText(endSeal(link), { token: other.token })).toEqual({ status: 200, text: String(words) })
})

test('a link survives a kill of everything, as do those of messages that name the same file', async () => {
  const before = listStored().length
  const body = { from: friend, to: device.number, document: words.toString('base64'), mimetype: 'text/plain' }
  const sent = await world.sim('POST', '/messages', { ...body, count: 3 })
  const ids = sent.ids as string[]
  const links: string[] = []
  for (const id of ids) {
    const { message } = await scene.waitForEvent('messages', (envelope) => envelope.message.messageid === id)
    links.push(message.fileURL)
  }
  expect(new Set(links).size).toBe(3)
  expect(listStored().length - before).toBe(1)
  await world.sim('DELETE', `/messages/${ids[0]}/media`, { phone: 'lost' })
  await world.killAndRestart()
  await waitUntilReachable(device)
  for (const link of links) expect(await fetchText(link)).toEqual({ status: 200, text: String(words) })
})

test('a stored file that was damaged is an error, and none of its bytes come', async () => {
  await receiveFile()
  const before = new Set(listStored())
  const { fileURL } = await receiveFile()
  const [path = ''] = listStored().filter((file) => !before.has(file))
  const sealed = readFileSync(path)
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1
  writeFileSync(path, sealed)
  const damaged = await fetchText(fileURL)
  expect(damaged.status).toBe(502)
  expect(JSON.parse(damaged.text)).toMatchObject({ error: 'media_unavailable' })
})

test('a file over the limit comes by request only', async () => {
  const large = randomBytes(1024 * 1024 + 1)
  const body = { from: friend, to: device.number, document: large.toString('base64'), mimetype: 'text/plain' }
  const { id } = await world.sim('POST', '/messages', body)
  const { message } = await scene.waitForEvent('messages', (envelope) => envelope.message.messageid === id)
  expect(message.fileURL).toBe('')
  const { fileURL } = (await device.caller.post('/message/download', { id })).body
  expect((await (await fetch(fileURL)).arrayBuffer()).byteLength).toBe(large.length)
})

test('the files of a deleted instance go, and its links end', async () => {
  const { fileURL } = await receiveFile()
  const folder = join(world.dataDir, 'media', device.id)
  expect(readdirSync(folder).length).toBeGreaterThan(0)
  expect((await device.caller.request('DELETE', '/instance')).status).toBe(200)
  await until(() => readdirSync(folder).length === 0)
  expect((await fetchText(fileURL)).status).toBe(404)
  expect(receiver.deliveries.length).toBeGreaterThan(0)
})
