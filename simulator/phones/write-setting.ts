// Writes a setting that was changed on the phone as a patch, like those of companions.

import { applyPatch, type CollectionName, readCollection } from '../app-state/apply-patch.ts'
import {
  computeIndexMac,
  computePatchMac,
  computeSnapshotMac,
  deriveMutationKeys,
  MAC,
  type Operation,
  sealValue,
  updateSum,
} from '../app-state/hashing.ts'
import { proto } from '../codec/protobuf.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import { ensureKeys } from './app-state-keys.ts'

export type Setting = {
  collection: CollectionName
  index: string[]
  value: proto.ISyncActionValue
  /** The version of this setting's form. */
  form: number
  operation?: Operation
}

/** Returns the collection's new version. */
export function writeSetting(network: Network, account: Account, setting: Setting): number {
  const { collection: name, index, value, form, operation = 'set' } = setting
  const key = ensureKeys(network, account).at(-1)
  if (key === undefined) throw new Error(`account ${account.number} has no key`)
  const keys = deriveMutationKeys(key.secret)
  const { version: based, sum } = readCollection(network, account, name)
  const version = based + 1
  const named = Buffer.from(JSON.stringify(index))
  const action = proto.SyncActionData.encode({
    index: named,
    value: { ...value, timestamp: Date.now() },
    padding: Buffer.alloc(0),
    version: form,
  }).finish()
  const indexBlob = computeIndexMac(keys, named)
  const blob = sealValue(keys, key.id, operation, action)
  const mac = blob.subarray(-MAC)
  const before = network.store.appState.findRecord(account.number, name, indexBlob)
  const removed = before === undefined ? [] : [before.valueMac]
  const whole = computeSnapshotMac(
    keys,
    updateSum(sum, removed, operation === 'set' ? [mac] : []),
    version,
    name,
  )
  const { SET, REMOVE } = proto.SyncdMutation.SyncdOperation
  const keyId = { id: key.id }
  const record = { index: { blob: indexBlob }, value: { blob }, keyId }
  const patch = proto.SyncdPatch.encode({
    mutations: [{ operation: operation === 'set' ? SET : REMOVE, record }],
    snapshotMac: whole,
    patchMac: computePatchMac(keys, whole, [mac], version, name),
    keyId,
    deviceIndex: 0,
  }).finish()
  return applyPatch(network, account, name, based, patch)
}
