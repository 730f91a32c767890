// Patches: checked as the account's other devices check them, applied as a whole, and announced to those devices.

import { proto } from '../codec/protobuf.ts'
import { asBuffer, buildStanza } from '../codec/stanza.ts'
import { formatAddress } from '../network/address.ts'
import { deliverToAll } from '../network/deliver-stanza.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import { createId, formatSeconds } from '../network/stanza-ids.ts'
import { MAX_MUTATIONS, MAX_RECORDS } from '../network-limits.ts'
import type { Account } from '../store/account-table.ts'
import type { Collection, StoredRecord } from '../store/app-state-table.ts'
import {
  computeIndexMac,
  computePatchMac,
  computeSnapshotMac,
  deriveMutationKeys,
  EMPTY_SUM,
  MAC,
  type MutationKeys,
  type Operation,
  openValue,
  updateSum,
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
const EMPTY = Buffer.alloc(0)

type Patch = proto.ISyncdPatch
type Mutation = { operation: Operation; value: Buffer; read: StoredRecord }

export function readCollection({ store }: Network, { number }: Account, name: CollectionName): Collection {
  const empty = { version: 0, sum: EMPTY_SUM, snapshotMac: EMPTY, keyId: EMPTY }
  return store.appState.findCollection(number, name) ?? empty
}

/** `baseVersion` is the version that the writer had; `by` its device, which is not notified. Returns the new version. */
export function applyPatch(
  network: Network,
  account: Account,
  name: CollectionName,
  baseVersion: number,
  bytes: Uint8Array,
  by?: number,
): number {
  const present = readCollection(network, account, name)
  if (baseVersion !== present.version) throw new Refusal(CONFLICT)
  const version = present.version + 1
  const patch = parsePatch(bytes)
  const keys = findKeys(network, account, patch.keyId?.id)
  const mutations = (patch.mutations ?? []).map((one) => verifyMutation(network, account, one))
  const { appState } = network.store
  const indexes = new Set(mutations.map(({ read }) => read.indexMac.toString('hex')))
  const tooMany = appState.countRecords(account.number, name) + mutations.length > MAX_RECORDS
  if (indexes.size !== mutations.length || tooMany) throw new Refusal(MALFORMED)
  const replaced = mutations.flatMap(({ read }) => {
    const before = appState.findRecord(account.number, name, read.indexMac)
    return before === undefined ? [] : [before]
  })
  const added = mutations.flatMap(({ operation, read }) => (operation === 'set' ? [read] : []))
  const listMacs = (records: StoredRecord[]) => records.map(({ valueMac }) => valueMac)
  const sum = updateSum(present.sum, listMacs(replaced), listMacs(added))
  const whole = computeSnapshotMac(keys.all, sum, version, name)
  const all = mutations.map(({ value }) => value)
  const valid =
    whole.equals(patch.snapshotMac ?? EMPTY) &&
    computePatchMac(keys.all, whole, all, version, name).equals(patch.patchMac ?? EMPTY)
  if (!valid) throw new Refusal(MALFORMED)
  appState.storePatch(account.number, name, {
    version,
    sum,
    snapshotMac: whole,
    keyId: keys.id,
    patch: Buffer.from(proto.SyncdPatch.encode({ ...patch, version: { version } }).finish()),
    removed: replaced.map((one) => one.indexMac),
    added,
  })
  updateAccountName(network, account, added)
  notifyCompanions(network, account, name, version, by)
  return version
}

function parsePatch(bytes: Uint8Array): Patch {
  const patch = decodePatch(bytes)
  const count = patch.mutations?.length ?? 0
  // Contents that are too large for a patch would be on the media host; this simulator does not support them.
  if (count === 0 || count > MAX_MUTATIONS || patch.externalMutations) throw new Refusal(MALFORMED)
  return patch
}

function decodePatch(bytes: Uint8Array): Patch {
  try {
    return proto.SyncdPatch.decode(bytes)
  } catch {
    throw new Refusal(MALFORMED)
  }
}

function findKeys({ store }: Network, { number }: Account, id: Uint8Array | null | undefined) {
  const key = store.appState.listKeys(number).find((one) => id && one.id.equals(id))
  if (key === undefined) throw new Refusal(MALFORMED)
  return { id: key.id, all: deriveMutationKeys(key.secret) }
}

function verifyMutation(
  network: Network,
  account: Account,
  { operation, record }: proto.ISyncdMutation,
): Mutation {
  const index = record?.index?.blob
  const blob = record?.value?.blob
  if (!record || !index || !blob || blob.length <= MAC) throw new Refusal(MALFORMED)
  const done: Operation = operation === proto.SyncdMutation.SyncdOperation.REMOVE ? 'remove' : 'set'
  const { id, all } = findKeys(network, account, record.keyId?.id)
  const action = decryptValue(all, id, done, asBuffer(blob))
  if (!computeIndexMac(all, readIndex(action)).equals(index)) throw new Refusal(MALFORMED)
  const value = asBuffer(blob).subarray(-MAC)
  const encoded = Buffer.from(proto.SyncdRecord.encode(record).finish())
  const read = { indexMac: Buffer.from(index), valueMac: value, record: encoded, action }
  return { operation: done, value, read }
}

function decryptValue(keys: MutationKeys, id: Buffer, operation: Operation, blob: Buffer): Buffer {
  try {
    return openValue(keys, id, operation, blob)
  } catch {
    throw new Refusal(MALFORMED)
  }
}

function readIndex(action: Buffer): Uint8Array {
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
function updateAccountName({ store }: Network, { number }: Account, added: StoredRecord[]) {
  for (const { action } of added) {
    const name = proto.SyncActionData.decode(action).value?.pushNameSetting?.name
    if (name) store.accounts.ensureAccount(number, { name })
  }
}

function notifyCompanions(network: Network, account: Account, name: string, version: number, by?: number) {
  const attrs = {
    from: formatAddress(account, 'pn'),
    type: 'server_sync',
    id: createId(),
    t: formatSeconds(),
  }
  const changed = buildStanza('collection', { name, version: String(version) })
  deliverToAll(network, account.number, buildStanza('notification', attrs, [changed]), by)
}
