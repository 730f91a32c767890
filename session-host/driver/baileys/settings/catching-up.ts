// Requests the settings that other devices have changed since this device's version, verifies, stores and reports them.

import { pipeline } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  type BinaryNode,
  type ChatMutation,
  decodePatches,
  decodeSyncdSnapshot,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  getMediaKeys,
  type LTHashState,
  newLTHashState,
  processSyncAction,
  proto,
  type WAPatchName,
  type WASocket,
} from 'baileys'
import type { Answer } from '../../driver.ts'
import { ask, inside } from '../connection/ask.ts'
import type { MediaHost } from '../messages/media-host.ts'
import { openingStream } from '../messages/opening.ts'

/** More pages than a collection of any size has. */
const MOST_PAGES = 200

export interface Catching {
  sock: WASocket
  media: Pick<MediaHost, 'get'>
}

export const versionOf = async ({ authState: { keys } }: WASocket, name: WAPatchName): Promise<LTHashState> =>
  (await keys.get('app-state-sync-version', [name]))[name] ?? newLTHashState()

export const keyOf =
  ({ authState: { keys } }: WASocket) =>
  async (id: string) =>
    (await keys.get('app-state-sync-key', [id]))[id]

/** The network's answer about one collection. Its refusal is inside an answer whose type is `result`. */
export async function askCollection(
  sock: WASocket,
  attrs: BinaryNode['attrs'],
  content: BinaryNode[],
  deadline: AbortSignal,
): Promise<Answer<BinaryNode>> {
  const sync = { tag: 'sync', attrs: {}, content: [{ tag: 'collection', attrs, content }] }
  const answer = await ask(sock, { xmlns: 'w:sync:app:state', type: 'set', content: [sync] }, deadline)
  if (answer.kind !== 'done') return answer
  const collection = inside(answer.value, 'sync', 'collection')
  if (!collection) return { kind: 'silent', message: 'the answer was not understood' }
  if (collection.attrs.type !== 'error') return { kind: 'done', value: collection }
  const code = Number(getBinaryNodeChild(collection, 'error')?.attrs.code ?? 500)
  return { kind: 'refused', code, message: `${attrs.name} was refused` }
}

/** `fresh`: our version differs from the network's, so everything is requested again. */
export async function catchUp(
  { sock, media }: Catching,
  name: WAPatchName,
  fresh: boolean,
  deadline: AbortSignal,
): Promise<Answer> {
  let state = fresh ? newLTHashState() : await versionOf(sock, name)
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const attrs = { name, version: `${state.version}`, return_snapshot: `${state.version === 0}` }
    const answer = await askCollection(sock, attrs, [], deadline)
    if (answer.kind !== 'done') return answer
    const mutations: ChatMutation[] = []
    const snapshot = await snapshotIn(answer.value, media, deadline)
    if (snapshot) {
      const decoded = await decodeSyncdSnapshot(name, snapshot, keyOf(sock), undefined, true)
      state = decoded.state
      mutations.push(...Object.values(decoded.mutationMap))
    }
    const patches = await patchesIn(answer.value, media, deadline)
    if (patches.length > 0) {
      const decoded = await decodePatches(name, patches, state, keyOf(sock), {}, undefined, undefined, true)
      state = decoded.state
      mutations.push(...Object.values(decoded.mutationMap))
    }
    await sock.authState.keys.set({ 'app-state-sync-version': { [name]: state } })
    const me = sock.authState.creds.me ?? { id: '' }
    for (const mutation of mutations) processSyncAction(mutation, sock.ev, me)
    if (answer.value.attrs.has_more_patches !== 'true') return { kind: 'done', value: undefined }
  }
  return { kind: 'silent', message: `${name} does not end` }
}

async function snapshotIn(
  collection: BinaryNode,
  media: Catching['media'],
  deadline: AbortSignal,
): Promise<proto.ISyncdSnapshot | undefined> {
  const content = bytesOf(getBinaryNodeChild(collection, 'snapshot'))
  if (!content) return undefined
  return proto.SyncdSnapshot.decode(
    await fileOf(proto.ExternalBlobReference.decode(content), media, deadline),
  )
}

async function patchesIn(
  collection: BinaryNode,
  media: Catching['media'],
  deadline: AbortSignal,
): Promise<proto.ISyncdPatch[]> {
  const list = getBinaryNodeChild(collection, 'patches') ?? collection
  const encoded = getBinaryNodeChildren(list, 'patch').flatMap((node) => bytesOf(node) ?? [])
  const patches: proto.ISyncdPatch[] = []
  for (const bytes of encoded) {
    const { externalMutations, ...patch } = proto.SyncdPatch.decode(bytes)
    patch.version ??= { version: Number(collection.attrs.version) + 1 }
    if (externalMutations) {
      const file = await fileOf(externalMutations, media, deadline)
      patch.mutations = [...(patch.mutations ?? []), ...proto.SyncdMutations.decode(file).mutations]
    }
    patches.push(patch)
  }
  return patches
}

const bytesOf = (node: BinaryNode | undefined): Uint8Array | undefined =>
  node?.content instanceof Uint8Array ? node.content : undefined

/** Large contents are files on a media host; they are fetched by our own code, which uses the proxy. */
async function fileOf(
  { directPath, mediaKey, fileSha256, fileEncSha256 }: proto.IExternalBlobReference,
  media: Catching['media'],
  deadline: AbortSignal,
): Promise<Buffer> {
  const encryptedSha256 = fileEncSha256 ?? new Uint8Array()
  const place = { directPath: directPath ?? '', encryptedSha256, type: 'md-app-state' } as const
  const answer = await media.get(place, deadline)
  if (answer.kind !== 'done') throw new Error(answer.message ?? 'the file of the settings was not given')
  const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey ?? new Uint8Array(), 'md-app-state')
  const keys = { iv: Buffer.from(iv), cipherKey: Buffer.from(cipherKey), macKey: Buffer.from(macKey ?? []) }
  const opening = openingStream({ ...keys, sha256: fileSha256 ?? new Uint8Array() })
  return buffer(pipeline(answer.value, opening, () => undefined))
}
