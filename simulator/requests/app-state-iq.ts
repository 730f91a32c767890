// Requests about the settings that an account's devices share: reads the changes since a version, and applies patches.
import { applyPatch, COLLECTIONS, type CollectionName, readCollection } from '../app-state/apply-patch.ts'
import { proto } from '../codec/protobuf.ts'
import { buildStanza, listChildren, type Stanza } from '../codec/stanza.ts'
import { buildErrorNode, Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import { type Request, type RequestTable, requireCompanion } from './request.ts'

/** Patches in one response; the client requests the others afterwards. */
const MAX_PATCHES = 50

type CollectionRequest = { name: CollectionName; version: number; snapshot: boolean; patches: Uint8Array[] }

export const appStateRequests: RequestTable = {
  async 'w:sync:app:state set sync'(request) {
    requireCompanion(request)
    const requests = listChildren(request.child, 'collection').map(parseCollection)
    if (requests.length === 0) throw new Refusal(400)
    const results: Stanza[] = []
    for (const one of requests) results.push(await syncCollection(request, one))
    return [buildStanza('sync', {}, results)]
  },
}

function parseCollection(collection: Stanza): CollectionRequest {
  const { name, version = '0', return_snapshot: snapshot } = collection.attrs
  const known = COLLECTIONS.find((one) => one === name)
  if (known === undefined || !/^\d{1,15}$/.test(version)) throw new Refusal(400)
  const patches = listChildren(collection, 'patch').map(({ content }) => {
    if (!(content instanceof Uint8Array)) throw new Refusal(400)
    return content
  })
  return { name: known, version: Number(version), snapshot: snapshot === 'true', patches }
}

/** A collection fails separately: the whole response is still a result. */
async function syncCollection(request: Request, collection: CollectionRequest): Promise<Stanza> {
  const { network } = request
  const { account, companion } = requireCompanion(request)
  const { name, version, patches } = collection
  if (patches.length === 0) return readChanges(network, account, collection)
  try {
    let based = version
    for (const patch of patches) {
      based = applyPatch(network, account, name, based, patch, companion.device)
    }
    return buildStanza('collection', { name, version: String(based) })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const missed = await readChanges(network, account, { ...collection, snapshot: false })
    const attrs = { ...missed.attrs, type: 'error' }
    return buildStanza('collection', attrs, [buildErrorNode(error.code), ...listChildren(missed)])
  }
}

async function readChanges(
  network: Network,
  account: Account,
  { name, version, snapshot }: CollectionRequest,
): Promise<Stanza> {
  const { appState } = network.store
  const present = readCollection(network, account, name)
  const attrs = { name, version: String(present.version) }
  if (version > present.version)
    return buildStanza('collection', { ...attrs, type: 'error' }, [buildErrorNode(400)])
  const following = appState.listPatchesAfter(account.number, name, version)
  // From nothing, patches are as good as a snapshot while there are all of them.
  if (following === undefined || (snapshot && version > 0)) {
    const whole = buildStanza('snapshot', {}, await uploadSnapshot(network, account, name))
    return buildStanza('collection', { ...attrs, has_more_patches: 'false' }, [whole])
  }
  const patches = following.slice(0, MAX_PATCHES).map((patch) => buildStanza('patch', {}, patch))
  const more = following.length > MAX_PATCHES ? 'true' : 'false'
  const content = patches.length > 0 ? [buildStanza('patches', {}, patches)] : []
  return buildStanza('collection', { ...attrs, has_more_patches: more }, content)
}

/** The snapshot is on the media host; the response names its path. */
async function uploadSnapshot(network: Network, account: Account, name: CollectionName): Promise<Buffer> {
  const { version, snapshotMac: mac, keyId } = readCollection(network, account, name)
  const records = network.store.appState
    .listRecords(account.number, name)
    .map(({ record }) => proto.SyncdRecord.decode(record))
  const encoded = proto.SyncdSnapshot.encode({ version: { version }, records, mac, keyId: { id: keyId } })
  const file = Buffer.from(encoded.finish())
  const { key, path, sha256, encryptedSha256 } = await network.media.storeFile(file, 'app-state')
  const reference = proto.ExternalBlobReference.encode({
    mediaKey: key,
    directPath: path,
    fileSizeBytes: file.length,
    fileSha256: sha256,
    fileEncSha256: encryptedSha256,
  })
  return Buffer.from(reference.finish())
}
