// Patches of the common settings that the network refuses: written on an older version, or forged.
import { type BinaryNode, getBinaryNodeChild, type WASocket } from 'baileys'
import { chatModificationToAppPatch, encodeSyncdPatch, newLTHashState } from 'baileys/lib/Utils/chat-utils.js'
import { proto } from 'baileys/WAProto/index.js'
import { expect, test } from 'vitest'
import type { Client } from './client.ts'
import { World } from './simulator-world.ts'

const GATEWAY = '491700000165'
const XMLNS = 'w:sync:app:state'

async function openLinkedWorld() {
  const world = await World.openWorld()
  return { world, client: await world.linkClient(GATEWAY) }
}

const readSettings = async (world: World) => (await world.get(`/phones/${GATEWAY}/settings`)).body

/** A patch as the library writes it, on a version that the test chooses. */
async function readPatch(client: Client, name: string, version: number) {
  const change = chatModificationToAppPatch({ pushNameSetting: name }, '')
  const key = client.auth.creds.myAppStateKeyId
  const { patch } = await encodeSyncdPatch(
    change,
    key ?? '',
    { ...newLTHashState(), version },
    async (id) => {
      return (await client.auth.keys.get('app-state-sync-key', [id]))[id]
    },
  )
  return patch
}

async function sendPatch(socket: WASocket, version: number, patch: Uint8Array) {
  const collection: BinaryNode = {
    tag: 'collection',
    attrs: { name: 'critical_block', version: String(version), return_snapshot: 'false' },
    content: [{ tag: 'patch', attrs: {}, content: patch }],
  }
  const response = await socket.query({
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', xmlns: XMLNS, type: 'set' },
    content: [{ tag: 'sync', attrs: {}, content: [collection] }],
  })
  const collectionNode = getBinaryNodeChild(getBinaryNodeChild(response, 'sync'), 'collection')
  return {
    ...collectionNode?.attrs,
    code: getBinaryNodeChild(collectionNode, 'error')?.attrs.code,
    node: collectionNode,
  }
}

test('a patch on an older version is refused with the missed patches', async () => {
  const { world, client } = await openLinkedWorld()
  await world.post(`/phones/${GATEWAY}/settings`, { action: 'name', name: 'First' })
  const patch = await readPatch(client, 'Second', 0)
  const response = await sendPatch(client.socket, 0, proto.SyncdPatch.encode(patch).finish())
  expect(response).toMatchObject({ type: 'error', code: '409', version: '1' })
  expect(getBinaryNodeChild(response.node, 'patches')?.content).toHaveLength(1)
  expect(await readSettings(world)).toMatchObject({ name: 'First', versions: { critical_block: 1 } })
})

test('a patch that the other devices could not verify is refused', async () => {
  const { world, client } = await openLinkedWorld()
  const patch = await readPatch(client, 'Forged', 0)
  const changePatch = (change: (copy: typeof patch) => void) => {
    const copy = structuredClone(patch)
    change(copy)
    return proto.SyncdPatch.encode(proto.SyncdPatch.fromObject(copy)).finish()
  }
  const flipBit = (bytes: Uint8Array | null | undefined) => {
    if (bytes) bytes[3] = (bytes[3] ?? 0) ^ 1
  }
  const forgeries = [
    changePatch((copy) => flipBit(copy.patchMac)),
    changePatch((copy) => flipBit(copy.snapshotMac)),
    changePatch((copy) => flipBit(copy.keyId?.id)),
    changePatch((copy) => flipBit(copy.mutations?.[0]?.record?.value?.blob)),
    changePatch((copy) => flipBit(copy.mutations?.[0]?.record?.index?.blob)),
    Buffer.from('no patch at all'),
  ]
  for (const forgery of forgeries) {
    expect(await sendPatch(client.socket, 0, forgery)).toMatchObject({ type: 'error', code: '400' })
  }
  expect(await readSettings(world)).toMatchObject({ name: '', versions: { critical_block: 0 } })
  const genuine = proto.SyncdPatch.encode(patch).finish()
  expect(await sendPatch(client.socket, 0, genuine)).toMatchObject({ version: '1', code: undefined })
})
