// The hashing of app-state patches: derived keys, MACs over records and patches, and the sum over all records.
import { createHmac, randomBytes } from 'node:crypto'
import { hkdf, hmac, openCbc, sealCbc } from '../crypto/ciphers.ts'

export type Operation = 'set' | 'remove'

export type MutationKeys = { index: Buffer; cipher: Buffer; value: Buffer; snapshot: Buffer; patch: Buffer }

const KEY = 32
export const MAC = 32
const IV = 16
const SUM = 128
const OPERATION_BYTE: Record<Operation, number> = { set: 1, remove: 2 }

/** The sum of an empty collection. */
export const EMPTY_SUM = Buffer.alloc(SUM)

export function deriveMutationKeys(secret: Uint8Array): MutationKeys {
  const expanded = hkdf(secret, 5 * KEY, undefined, 'WhatsApp Mutation Keys')
  const getPart = (place: number) => expanded.subarray(place * KEY, (place + 1) * KEY)
  return { index: getPart(0), cipher: getPart(1), value: getPart(2), snapshot: getPart(3), patch: getPart(4) }
}

/** A record's initialization vector, ciphertext and MAC. */
export function sealValue(keys: MutationKeys, keyId: Uint8Array, operation: Operation, plain: Uint8Array) {
  const iv = randomBytes(IV)
  const sealed = Buffer.concat([iv, sealCbc(keys.cipher, iv, plain)])
  return Buffer.concat([sealed, computeValueMac(keys, keyId, operation, sealed)])
}

/** Throws when the MAC or the padding is wrong. */
export function openValue(keys: MutationKeys, keyId: Uint8Array, operation: Operation, blob: Buffer): Buffer {
  const sealed = blob.subarray(0, -MAC)
  if (!computeValueMac(keys, keyId, operation, sealed).equals(blob.subarray(-MAC)))
    throw new Error('a forged value')
  return openCbc(keys.cipher, sealed.subarray(0, IV), sealed.subarray(IV))
}

function computeValueMac(
  keys: MutationKeys,
  keyId: Uint8Array,
  operation: Operation,
  sealed: Uint8Array,
): Buffer {
  const associated = Buffer.concat([Buffer.from([OPERATION_BYTE[operation]]), keyId])
  const length = encodeUint64(associated.length)
  return createHmac('sha512', keys.value)
    .update(Buffer.concat([associated, sealed, length]))
    .digest()
    .subarray(0, MAC)
}

export const computeIndexMac = (keys: MutationKeys, index: Uint8Array): Buffer => hmac(keys.index, index)

export function computeSnapshotMac(keys: MutationKeys, sum: Buffer, version: number, name: string): Buffer {
  return hmac(keys.snapshot, Buffer.concat([sum, encodeUint64(version), Buffer.from(name)]))
}

export function computePatchMac(
  keys: MutationKeys,
  snapshot: Uint8Array,
  values: Uint8Array[],
  version: number,
  name: string,
): Buffer {
  return hmac(keys.patch, Buffer.concat([snapshot, ...values, encodeUint64(version), Buffer.from(name)]))
}

/** The sum does not depend on the order in which records were added and removed. */
export function updateSum(sum: Buffer, removed: Uint8Array[], added: Uint8Array[]): Buffer {
  const result = Buffer.from(sum)
  for (const mac of removed) addToSum(result, mac, -1)
  for (const mac of added) addToSum(result, mac, 1)
  return result
}

function addToSum(sum: Buffer, mac: Uint8Array, sign: 1 | -1) {
  const expanded = hkdf(mac, SUM, undefined, 'WhatsApp Patch Integrity')
  for (let at = 0; at < SUM; at += 2) {
    sum.writeUInt16LE((sum.readUInt16LE(at) + sign * expanded.readUInt16LE(at)) & 0xffff, at)
  }
}

function encodeUint64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}
