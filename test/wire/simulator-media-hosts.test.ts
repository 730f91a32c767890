// The media hosts of the simulated network when a file or a host is missing, as the library uses them.
import { randomBytes } from 'node:crypto'
import { setDefaultCACertificates } from 'node:tls'
import { downloadMediaMessage, type WAMessage } from 'baileys'
import { expect, test } from 'vitest'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000141'
const FRIEND = '491700000142'
const FILE = randomBytes(1000)

async function openWorldWithFriend() {
  const world = await World.openWorld()
  const client = await world.linkClient(GATEWAY)
  await world.post('/phones', { number: FRIEND })
  // The library downloads with the certificates that the whole process trusts.
  setDefaultCACertificates([world.simulator.mediaCa])
  const receiveDocument = async () => {
    const body = { from: FRIEND, to: GATEWAY, document: FILE.toString('base64') }
    const sent = await world.post('/messages', body)
    return client.waitForText(String(sent.body.id))
  }
  return { world, client, receiveDocument }
}

const downloadFile = (message: WAMessage): Promise<Buffer> => downloadMediaMessage(message, 'buffer', {})
const matchStatus = (statusCode: number) => ({ output: { statusCode } })

test('a deleted file is at another path after the phone uploaded it again, and missing if the phone lost it too', async () => {
  const { world, client, receiveDocument } = await openWorldWithFriend()
  await client.socket.refreshMediaConn()
  const [gone, missing] = [await receiveDocument(), await receiveDocument()]
  await world.callControl('DELETE', `/messages/${gone.key.id}/media`)
  await world.callControl('DELETE', `/messages/${missing.key.id}/media`, { phone: 'lost' })
  await expect(downloadFile(gone)).rejects.toMatchObject(matchStatus(404))
  const before = structuredClone(gone)
  const after = await client.socket.updateMediaMessage(gone)
  expect(await downloadFile(after)).toEqual(FILE)
  await expect(downloadFile(before)).rejects.toMatchObject(matchStatus(410))
  await expect(client.socket.updateMediaMessage(missing)).rejects.toMatchObject(matchStatus(404))
  const stranger = structuredClone(before)
  if (stranger.message?.documentMessage) stranger.message.documentMessage.mediaKey = Buffer.alloc(32)
  await expect(client.socket.updateMediaMessage(stranger)).rejects.toMatchObject(matchStatus(412))
})

test('two hosts have the same files, and a fault affects each of them alone', async () => {
  const { world, client, receiveDocument } = await openWorldWithFriend()
  const path = (await receiveDocument()).message?.documentMessage?.directPath
  const { hosts } = await client.socket.refreshMediaConn()
  const readStatuses = () =>
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
  expect(await readStatuses()).toEqual([200, 200])
  await world.post('/faults', { kind: 'media', host: 1 })
  expect(await readStatuses()).toEqual(['cut', 200])
  await world.callControl('DELETE', '/faults')
  await world.post('/faults', { kind: 'media', host: 2, code: 503, direction: 'download', count: 1 })
  expect(await readStatuses()).toEqual([200, 503])
  expect(await readStatuses()).toEqual([200, 200])
})
