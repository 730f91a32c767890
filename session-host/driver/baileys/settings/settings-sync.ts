// Requests the settings that other devices have changed since this device's version, verifies, stores and reports them.

import { buffer } from 'node:stream/consumers'
import {
  type BinaryNode,
  type ChatMutation,
  decodePatches,
  decodeSyncdSnapshot,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type LTHashState,
  newLTHashState,
  processSyncAction,
  proto,
  type WAPatchName,
  type WASocket,
} from 'baileys'
import type { NetworkOutcome } from '../../driver.ts'
import { findNode, type Query, sendQuery } from '../connection/network-query.ts'
import { type ByteBudget, decryptDownload } from '../messages/decrypted-download.ts'
import type { MediaHosts } from '../messages/media-hosts.ts'

/** More pages than a collection of any size has. */
const MAX_PAGES = 200
/** Of all files of a collection, encrypted. It is in memory as a whole: the largest accounts have a few megabytes. */
const MAX_FILE_BYTES = 32 * 1024 * 1024

export interface SyncContext {
  sock: WASocket
  media: Pick<MediaHosts, 'downloadFile'>
}

export const readVersion = async (
  { authState: { keys } }: WASocket,
  name: WAPatchName,
): Promise<LTHashState> => (await keys.get('app-state-sync-version', [name]))[name] ?? newLTHashState()

export const createKeyReader =
  ({ authState: { keys } }: WASocket) =>
  async (id: string) =>
    (await keys.get('app-state-sync-key', [id]))[id]

/** The network's response about one collection. Its refusal is inside a response whose type is `result`. */
export async function queryCollection(
  sock: WASocket,
  attrs: BinaryNode['attrs'],
  content: BinaryNode[],
  deadline: AbortSignal,
): Promise<NetworkOutcome<BinaryNode>> {
  const sync = { tag: 'sync', attrs: {}, content: [{ tag: 'collection', attrs, content }] }
  const isQuestion = content.length === 0
  const query: Query = { xmlns: 'w:sync:app:state', type: 'set', content: [sync], isQuestion }
  const outcome = await sendQuery(sock, query, deadline)
  if (outcome.kind !== 'done') return outcome
  const collection = findNode(outcome.value, 'sync', 'collection')
  if (!collection) return { kind: 'unknown', message: 'the response was not understood' }
  if (collection.attrs.type !== 'error') return { kind: 'done', value: collection }
  const code = Number(getBinaryNodeChild(collection, 'error')?.attrs.code ?? 500)
  return { kind: 'refused', code, message: `${attrs.name} was refused` }
}

/** `fresh`: our version differs from the network's, so everything is requested again. */
export async function syncCollection(
  { sock, media }: SyncContext,
  name: WAPatchName,
  fresh: boolean,
  deadline: AbortSignal,
): Promise<NetworkOutcome> {
  const budget = { left: MAX_FILE_BYTES }
  let state = fresh ? newLTHashState() : await readVersion(sock, name)
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const attrs = { name, version: `${state.version}`, return_snapshot: `${state.version === 0}` }
    const outcome = await queryCollection(sock, attrs, [], deadline)
    if (outcome.kind !== 'done') return outcome
    const mutations: ChatMutation[] = []
    const snapshot = await readSnapshot(outcome.value, media, budget, deadline)
    if (snapshot) {
      const decoded = await decodeSyncdSnapshot(name, snapshot, createKeyReader(sock), undefined, true)
      state = decoded.state
      mutations.push(...Object.values(decoded.mutationMap))
    }
    const patches = await readPatches(outcome.value, media, budget, deadline)
    if (patches.length > 0) {
      const decoded = await decodePatches(
        name,
        patches,
        state,
        createKeyReader(sock),
        {},
        undefined,
        undefined,
        true,
      )
      state = decoded.state
      mutations.push(...Object.values(decoded.mutationMap))
    }
    await sock.authState.keys.set({ 'app-state-sync-version': { [name]: state } })
    const me = sock.authState.creds.me ?? { id: '' }
    for (const mutation of mutations) processSyncAction(mutation, sock.ev, me)
    if (outcome.value.attrs.has_more_patches !== 'true') return { kind: 'done', value: undefined }
  }
  return { kind: 'unknown', message: `${name} does not end` }
}

async function readSnapshot(
  collection: BinaryNode,
  media: SyncContext['media'],
  budget: ByteBudget,
  deadline: AbortSignal,
): Promise<proto.ISyncdSnapshot | undefined> {
  const content = getBytes(getBinaryNodeChild(collection, 'snapshot'))
  if (!content) return undefined
  return proto.SyncdSnapshot.decode(
    await downloadBlob(proto.ExternalBlobReference.decode(content), media, budget, deadline),
  )
}

async function readPatches(
  collection: BinaryNode,
  media: SyncContext['media'],
  budget: ByteBudget,
  deadline: AbortSignal,
): Promise<proto.ISyncdPatch[]> {
  const list = getBinaryNodeChild(collection, 'patches') ?? collection
  const encoded = getBinaryNodeChildren(list, 'patch').flatMap((node) => getBytes(node) ?? [])
  const patches: proto.ISyncdPatch[] = []
  for (const bytes of encoded) {
    const { externalMutations, ...patch } = proto.SyncdPatch.decode(bytes)
    patch.version ??= { version: Number(collection.attrs.version) + 1 }
    if (externalMutations) {
      const file = await downloadBlob(externalMutations, media, budget, deadline)
      patch.mutations = [...(patch.mutations ?? []), ...proto.SyncdMutations.decode(file).mutations]
    }
    patches.push(patch)
  }
  return patches
}

const getBytes = (node: BinaryNode | undefined): Uint8Array | undefined =>
  node?.content instanceof Uint8Array ? node.content : undefined

/** Large contents are files on a media host; they are fetched by our own code, which uses the proxy. */
async function downloadBlob(
  { directPath, mediaKey, fileSha256, fileEncSha256 }: proto.IExternalBlobReference,
  media: SyncContext['media'],
  budget: ByteBudget,
  deadline: AbortSignal,
): Promise<Buffer> {
  const encryptedSha256 = fileEncSha256 ?? new Uint8Array()
  const place = { directPath: directPath ?? '', encryptedSha256, type: 'md-app-state' } as const
  const outcome = await media.downloadFile(place, deadline)
  if (outcome.kind !== 'done') throw new Error(outcome.message ?? 'the file of the settings was not given')
  return buffer(await decryptDownload(outcome.value, 'md-app-state', { mediaKey, fileSha256 }, budget))
}
