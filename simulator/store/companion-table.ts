// Companions: the linked devices of an account.
import type { DatabaseSync } from 'node:sqlite'
import type { SignedPreKey } from './account-table.ts'
import { type Row, readBlob, readInteger, readText } from './network-database.ts'

export type Companion = {
  number: string
  /** The device's number within its account; 0 is the phone, companions count from 1. */
  device: number
  keyIndex: number
  /** The static key of its connections. */
  noiseKey: Buffer
  identity: Buffer
  registration: number
  signedPreKey: SignedPreKey
  /** Its identity, signed by both sides, with the account key. */
  deviceIdentity: Buffer
}

function toCompanion(row: Row): Companion {
  return {
    number: readText(row, 'number'),
    device: readInteger(row, 'device'),
    keyIndex: readInteger(row, 'key_index'),
    noiseKey: readBlob(row, 'noise_key'),
    identity: readBlob(row, 'identity'),
    registration: readInteger(row, 'registration'),
    signedPreKey: {
      id: readInteger(row, 'signed_id'),
      public: readBlob(row, 'signed_public'),
      signature: readBlob(row, 'signed_signature'),
    },
    deviceIdentity: readBlob(row, 'device_identity'),
  }
}

const prepareStatements = (database: DatabaseSync) => ({
  byNumber: database.prepare('select * from companions where number = ? order by device'),
  insert: database.prepare(`insert or replace into companions values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`),
  setSigned: database.prepare(
    'update companions set signed_id = ?, signed_public = ?, signed_signature = ? where number = ? and device = ?',
  ),
  deleteCompanion: [
    'delete from companions where number = ? and device = ?',
    'delete from pre_keys where number = ? and device = ?',
    'delete from queue where number = ? and device = ?',
    'delete from app_state_keys_given where number = ? and device = ?',
    "delete from sessions where peer = ? || '.' || ?",
    "delete from sender_keys where peer = ? || '.' || ?",
    "delete from sender_keys_given where peer = ? || '.' || ?",
  ].map((statement) => database.prepare(statement)),
})

export class CompanionTable {
  readonly #sql: ReturnType<typeof prepareStatements>
  readonly #cache = new Map<string, Companion[]>()

  constructor(database: DatabaseSync) {
    this.#sql = prepareStatements(database)
  }

  listByNumber(number: string): Companion[] {
    let companions = this.#cache.get(number)
    if (companions === undefined) {
      companions = this.#sql.byNumber.all(number).map(toCompanion)
      this.#cache.set(number, companions)
    }
    return companions
  }

  find(number: string, device: number): Companion | undefined {
    return this.listByNumber(number).find((companion) => companion.device === device)
  }

  add(companion: Companion) {
    const { number, device, signedPreKey: signed } = companion
    for (const statement of this.#sql.deleteCompanion) statement.run(number, device)
    this.#sql.insert.run(
      number,
      device,
      companion.keyIndex,
      companion.noiseKey,
      companion.identity,
      companion.registration,
      signed.id,
      signed.public,
      signed.signature,
      companion.deviceIdentity,
      Date.now(),
    )
    this.#cache.delete(number)
  }

  setSignedPreKey(number: string, device: number, signed: SignedPreKey) {
    this.#sql.setSigned.run(signed.id, signed.public, signed.signature, number, device)
    this.#cache.delete(number)
  }

  /** Deletes the companion with its keys, its queue, and the phones' sessions with it. */
  remove(number: string, device: number) {
    for (const statement of this.#sql.deleteCompanion) statement.run(number, device)
    this.#cache.delete(number)
  }

  clearCache() {
    this.#cache.clear()
  }
}
