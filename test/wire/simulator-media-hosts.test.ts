// The media hosts of the simulated network when a file or a host is gone, as the library meets them.
import { randomBytes } from 'node:crypto'
import { setDefaultCACertificates } from 'node:tls'
import { downloadMediaMessage, type WAMessage } from 'baileys'
import { expect, test } from 'vitest'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000141'
const FRIEND = '491700000142'
const FILE = randomBytes(1000)

async function worldWithFriend() {
  const world = await World.open()
  const client = await world.linked(GATEWAY)
  await world.post('/phones', { number: FRIEND })
  // The library downloads with what the whole process trusts.
  setDefaultCACertificates([world.simulator.mediaCa])
  const send = async () => {
    const body = { from: FRIEND, to: GATEWAY, document: FILE.toString('base64') }
    const sent = await world.post('/messages', body)
    return client.text(String(sent.body.id))
  }
  return { world, client, send }
}

const downloaded = (message: WAMessage): Promise<Buffer> => downloadMediaMessage(message, 'buffer', {})
const refusedWith = (statusCode: number) => ({ output: { statusCode } })

test('a deleted file is at another path once the phone has uploaded it again, unless it lost it too', async () => {
  const { world, client, send } = await worldWithFriend()
  await client.socket.refreshMediaConn()
  const [gone, lost] = [await send(), await send()]
  await world.call('DELETE', `/messages/${gone.key.id}/media`)
  await world.call('DELETE', `/messages/${lost.key.id}/media`, { phone: 'lost' })
  await expect(downloaded(gone)).rejects.toMatchObject(refusedWith(404))
  const before = structuredClone(gone)
  const after = await client.socket.updateMediaMessage(gone)
  expect(await downloaded(after)).toEqual(FILE)
  await expect(downloaded(before)).rejects.toMatchObject(refusedWith(410))
  await expect(client.socket.updateMediaMessage(lost)).rejects.toMatchObject(refusedWith(404))
  const stranger = structuredClone(before)
  if (stranger.message?.documentMessage) stranger.message.documentMessage.mediaKey = Buffer.alloc(32)
  await expect(client.socket.updateMediaMessage(stranger)).rejects.toMatchObject(refusedWith(412))
})

test('two hosts have the same files, and each fails alone when it is told to', async () => {
  const { world, client, send } = await worldWithFriend()
  const path = (await send()).message?.documentMessage?.directPath
  const { hosts } = await client.socket.refreshMediaConn()
  const statuses = () =>
    Promise.all(
      hosts.map(({ hostname }) =>
        fetch(`https://${hostname}${path}`).then(
          async (response) => {
            await response.arrayBuffer()
            return response.status
          },
          () => 'cut',
        ),
      ),
    )
  expect(await statuses()).toEqual([200, 200])
  await world.post('/faults', { kind: 'media', host: 1 })
  expect(await statuses()).toEqual(['cut', 200])
  await world.call('DELETE', '/faults')
  await world.post('/faults', { kind: 'media', host: 2, code: 503, direction: 'download', count: 1 })
  expect(await statuses()).toEqual([200, 503])
  expect(await statuses()).toEqual([200, 200])
})
