// Requests about the settings that an account's devices share: reads the changes since a version, and applies patches.
import { COLLECTIONS, type CollectionName, collectionOf, takePatch } from '../app-state/patches.ts'
import { proto } from '../codec/protobuf.ts'
import { children, type Stanza, stanza } from '../codec/stanza.ts'
import type { Network } from '../network/network.ts'
import { errorNode, Refusal } from '../network/refusal.ts'
import type { Account } from '../store/accounts.ts'
import { asking, type Request, type RequestTable } from './request.ts'

/** Patches in one answer; the client requests the others afterwards. */
const MOST_PATCHES = 50

type CollectionRequest = { name: CollectionName; version: number; snapshot: boolean; patches: Uint8Array[] }

export const appStateRequests: RequestTable = {
  async 'w:sync:app:state set sync'(request) {
    asking(request)
    const asked = children(request.child, 'collection').map(read)
    if (asked.length === 0) throw new Refusal(400)
    const answers: Stanza[] = []
    for (const one of asked) answers.push(await answered(request, one))
    return [stanza('sync', {}, answers)]
  },
}

function read(collection: Stanza): CollectionRequest {
  const { name, version = '0', return_snapshot: snapshot } = collection.attrs
  const known = COLLECTIONS.find((one) => one === name)
  if (known === undefined || !/^\d{1,15}$/.test(version)) throw new Refusal(400)
  const patches = children(collection, 'patch').map(({ content }) => {
    if (!(content instanceof Uint8Array)) throw new Refusal(400)
    return content
  })
  return { name: known, version: Number(version), snapshot: snapshot === 'true', patches }
}

/** A collection fails separately: the whole answer is still a result. */
async function answered(request: Request, asked: CollectionRequest): Promise<Stanza> {
  const { network } = request
  const { account, companion } = asking(request)
  const { name, version, patches } = asked
  if (patches.length === 0) return changes(network, account, asked)
  try {
    let based = version
    for (const patch of patches) {
      based = takePatch(network, account, name, based, patch, companion.device)
    }
    return stanza('collection', { name, version: String(based) })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const missed = await changes(network, account, { ...asked, snapshot: false })
    const attrs = { ...missed.attrs, type: 'error' }
    return stanza('collection', attrs, [errorNode(error.code), ...children(missed)])
  }
}

async function changes(
  network: Network,
  account: Account,
  { name, version, snapshot }: CollectionRequest,
): Promise<Stanza> {
  const { appState } = network.store
  const present = collectionOf(network, account, name)
  const attrs = { name, version: String(present.version) }
  if (version > present.version) return stanza('collection', { ...attrs, type: 'error' }, [errorNode(400)])
  const following = appState.patchesAfter(account.number, name, version)
  // From nothing, patches are as good as a snapshot while there are all of them.
  if (following === undefined || (snapshot && version > 0)) {
    const whole = stanza('snapshot', {}, await snapshotOf(network, account, name))
    return stanza('collection', { ...attrs, has_more_patches: 'false' }, [whole])
  }
  const patches = following.slice(0, MOST_PATCHES).map((patch) => stanza('patch', {}, patch))
  const more = following.length > MOST_PATCHES ? 'true' : 'false'
  const content = patches.length > 0 ? [stanza('patches', {}, patches)] : []
  return stanza('collection', { ...attrs, has_more_patches: more }, content)
}

/** The snapshot is on the media host; the answer names its place. */
async function snapshotOf(network: Network, account: Account, name: CollectionName): Promise<Buffer> {
  const { version, snapshotMac: mac, keyId } = collectionOf(network, account, name)
  const records = network.store.appState
    .records(account.number, name)
    .map(({ record }) => proto.SyncdRecord.decode(record))
  const encoded = proto.SyncdSnapshot.encode({ version: { version }, records, mac, keyId: { id: keyId } })
  const file = Buffer.from(encoded.finish())
  const { key, path, sha256, sealedSha256 } = await network.media.keep(file, 'app-state')
  const reference = proto.ExternalBlobReference.encode({
    mediaKey: key,
    directPath: path,
    fileSizeBytes: file.length,
    fileSha256: sha256,
    fileEncSha256: sealedSha256,
  })
  return Buffer.from(reference.finish())
}
