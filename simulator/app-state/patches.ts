// Patches: checked as the account's other devices check them, applied as a whole, and announced to those devices.
import { proto } from '../codec/protobuf.ts'
import { asBuffer, stanza } from '../codec/stanza.ts'
import { addressOf } from '../network/address.ts'
import { deliverToAll } from '../network/delivery.ts'
import type { Network } from '../network/network.ts'
import { Refusal } from '../network/refusal.ts'
import { freshId, seconds } from '../network/stamps.ts'
import type { Account } from '../store/accounts.ts'
import type { Collection, StoredRecord } from '../store/app-state.ts'
import {
  EMPTY_SUM,
  indexMac,
  MAC,
  type MutationKeys,
  mutationKeys,
  type Operation,
  openValue,
  patchMac,
  snapshotMac,
  summed,
} from './hashing.ts'

export const COLLECTIONS = [
  'critical_block',
  'critical_unblock_low',
  'regular_high',
  'regular_low',
  'regular',
] as const
export type CollectionName = (typeof COLLECTIONS)[number]

const MALFORMED = 400
/** Another device wrote first. */
const CONFLICT = 409
const MOST_MUTATIONS = 1_000
const MOST_RECORDS = 20_000
const NOTHING = Buffer.alloc(0)

type Patch = proto.ISyncdPatch
type Mutation = { operation: Operation; value: Buffer; read: StoredRecord }

export function collectionOf({ store }: Network, { number }: Account, name: CollectionName): Collection {
  const empty = { version: 0, sum: EMPTY_SUM, snapshotMac: NOTHING, keyId: NOTHING }
  return store.appState.collection(number, name) ?? empty
}

/** `based` is the version that the writer had; `by` its device, which is not notified. Answers the new version. */
export function takePatch(
  network: Network,
  account: Account,
  name: CollectionName,
  based: number,
  bytes: Uint8Array,
  by?: number,
): number {
  const present = collectionOf(network, account, name)
  if (based !== present.version) throw new Refusal(CONFLICT)
  const version = present.version + 1
  const patch = decoded(bytes)
  const keys = keysNamed(network, account, patch.keyId?.id)
  const mutations = (patch.mutations ?? []).map((one) => judged(network, account, one))
  const { appState } = network.store
  const indexes = new Set(mutations.map(({ read }) => read.indexMac.toString('hex')))
  const tooMany = appState.count(account.number, name) + mutations.length > MOST_RECORDS
  if (indexes.size !== mutations.length || tooMany) throw new Refusal(MALFORMED)
  const replaced = mutations.flatMap(({ read }) => {
    const before = appState.record(account.number, name, read.indexMac)
    return before === undefined ? [] : [before]
  })
  const kept = mutations.flatMap(({ operation, read }) => (operation === 'set' ? [read] : []))
  const values = (records: StoredRecord[]) => records.map(({ valueMac }) => valueMac)
  const sum = summed(present.sum, values(replaced), values(kept))
  const whole = snapshotMac(keys.all, sum, version, name)
  const all = mutations.map(({ value }) => value)
  const genuine =
    whole.equals(patch.snapshotMac ?? NOTHING) &&
    patchMac(keys.all, whole, all, version, name).equals(patch.patchMac ?? NOTHING)
  if (!genuine) throw new Refusal(MALFORMED)
  appState.apply(account.number, name, {
    version,
    sum,
    snapshotMac: whole,
    keyId: keys.id,
    patch: Buffer.from(proto.SyncdPatch.encode({ ...patch, version: { version } }).finish()),
    dropped: replaced.map((one) => one.indexMac),
    kept,
  })
  takeEffect(network, account, kept)
  notifyDevices(network, account, name, version, by)
  return version
}

function decoded(bytes: Uint8Array): Patch {
  const patch = readPatch(bytes)
  const count = patch.mutations?.length ?? 0
  // Contents that are too large for a patch would be on the media host; this simulator does not take them.
  if (count === 0 || count > MOST_MUTATIONS || patch.externalMutations) throw new Refusal(MALFORMED)
  return patch
}

function readPatch(bytes: Uint8Array): Patch {
  try {
    return proto.SyncdPatch.decode(bytes)
  } catch {
    throw new Refusal(MALFORMED)
  }
}

function keysNamed({ store }: Network, { number }: Account, id: Uint8Array | null | undefined) {
  const key = store.appState.keys(number).find((one) => id && one.id.equals(id))
  if (key === undefined) throw new Refusal(MALFORMED)
  return { id: key.id, all: mutationKeys(key.secret) }
}

function judged(network: Network, account: Account, { operation, record }: proto.ISyncdMutation): Mutation {
  const index = record?.index?.blob
  const blob = record?.value?.blob
  if (!record || !index || !blob || blob.length <= MAC) throw new Refusal(MALFORMED)
  const done: Operation = operation === proto.SyncdMutation.SyncdOperation.REMOVE ? 'remove' : 'set'
  const { id, all } = keysNamed(network, account, record.keyId?.id)
  const action = opened(all, id, done, asBuffer(blob))
  if (!indexMac(all, indexIn(action)).equals(index)) throw new Refusal(MALFORMED)
  const value = asBuffer(blob).subarray(-MAC)
  const encoded = Buffer.from(proto.SyncdRecord.encode(record).finish())
  const read = { indexMac: Buffer.from(index), valueMac: value, record: encoded, action }
  return { operation: done, value, read }
}

function opened(keys: MutationKeys, id: Buffer, operation: Operation, blob: Buffer): Buffer {
  try {
    return openValue(keys, id, operation, blob)
  } catch {
    throw new Refusal(MALFORMED)
  }
}

function indexIn(action: Buffer): Uint8Array {
  const { index } = proto.SyncActionData.decode(action)
  if (!index || !isIndex(Buffer.from(index).toString())) throw new Refusal(MALFORMED)
  return index
}

/** A list of texts: the kind of the setting, and its subject. */
function isIndex(text: string): boolean {
  try {
    const parts: unknown = JSON.parse(text)
    return Array.isArray(parts) && parts.length > 0 && parts.every((part) => typeof part === 'string')
  } catch {
    return false
  }
}

/** The account's name is also shown to other accounts. */
function takeEffect({ store }: Network, { number }: Account, kept: StoredRecord[]) {
  for (const { action } of kept) {
    const name = proto.SyncActionData.decode(action).value?.pushNameSetting?.name
    if (name) store.accounts.ensure(number, { name })
  }
}

function notifyDevices(network: Network, account: Account, name: string, version: number, by?: number) {
  const attrs = { from: addressOf(account, 'pn'), type: 'server_sync', id: freshId(), t: seconds() }
  const changed = stanza('collection', { name, version: String(version) })
  deliverToAll(network, account.number, stanza('notification', attrs, [changed]), by)
}
