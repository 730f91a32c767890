// App state: an account's settings of chats, contacts and labels, in the network's encrypted form and in the phone's.
import type { DatabaseSync } from 'node:sqlite'
import { type Row, readBlob, readInteger } from './network-database.ts'

export type AppStateKey = { id: Buffer; secret: Buffer; madeAt: number }

/** A collection of settings, with its own versions. */
export type Collection = {
  version: number
  /** Over the MACs of all records. */
  sum: Buffer
  /** The MAC of the last patch, which a snapshot has too; empty in a collection without patches. */
  snapshotMac: Buffer
  keyId: Buffer
}

export type StoredRecord = {
  indexMac: Buffer
  valueMac: Buffer
  /** In the encrypted form. */
  record: Buffer
  /** In the phone's form: the encoded action. */
  action: Buffer
}

export type PatchStep = Collection & { patch: Buffer; removed: Buffer[]; added: StoredRecord[] }

/** Older patches are in snapshots only. */
const MAX_PATCHES = 100

const toRecord = (row: Row): StoredRecord => ({
  indexMac: readBlob(row, 'index_mac'),
  valueMac: readBlob(row, 'value_mac'),
  record: readBlob(row, 'record'),
  action: readBlob(row, 'action'),
})

const prepareStatements = (database: DatabaseSync) => ({
  keys: database.prepare('select id, secret, made_at from app_state_keys where number = ? order by seq'),
  addKey: database.prepare('insert into app_state_keys (number, id, secret, made_at) values (?, ?, ?, ?)'),
  isShared: database.prepare('select 1 as yes from app_state_keys_given where number = ? and device = ?'),
  markShared: database.prepare('insert or ignore into app_state_keys_given values (?, ?)'),
  collection: database.prepare('select * from app_state_collections where number = ? and name = ?'),
  setCollection: database.prepare('insert or replace into app_state_collections values (?, ?, ?, ?, ?, ?)'),
  records: database.prepare('select * from app_state_records where number = ? and name = ? order by seq'),
  record: database.prepare('select * from app_state_records where number = ? and name = ? and index_mac = ?'),
  setRecord: database.prepare(`insert into app_state_records
    (number, name, index_mac, value_mac, record, action) values (?, ?, ?, ?, ?, ?)`),
  deleteRecord: database.prepare(
    'delete from app_state_records where number = ? and name = ? and index_mac = ?',
  ),
  count: database.prepare('select count(*) as records from app_state_records where number = ? and name = ?'),
  patches: database.prepare(`select version, patch from app_state_patches
    where number = ? and name = ? and version > ? order by version`),
  addPatch: database.prepare('insert into app_state_patches values (?, ?, ?, ?)'),
  trim: database.prepare('delete from app_state_patches where number = ? and name = ? and version <= ?'),
})

export class AppStateTable {
  readonly #database: DatabaseSync
  readonly #sql: ReturnType<typeof prepareStatements>

  constructor(database: DatabaseSync) {
    this.#database = database
    this.#sql = prepareStatements(database)
  }

  /** The last one is used for writing. */
  listKeys(number: string): AppStateKey[] {
    return this.#sql.keys.all(number).map((row) => ({
      id: readBlob(row, 'id'),
      secret: readBlob(row, 'secret'),
      madeAt: readInteger(row, 'made_at'),
    }))
  }

  addKey(number: string, { id, secret, madeAt }: AppStateKey) {
    this.#sql.addKey.run(number, id, secret, madeAt)
  }

  /** Whether the phone has shared the account's keys with this companion. */
  isShared(number: string, device: number): boolean {
    return this.#sql.isShared.get(number, device) !== undefined
  }

  markShared(number: string, device: number) {
    this.#sql.markShared.run(number, device)
  }

  findCollection(number: string, name: string): Collection | undefined {
    const row = this.#sql.collection.get(number, name)
    return (
      row && {
        version: readInteger(row, 'version'),
        sum: readBlob(row, 'sum'),
        snapshotMac: readBlob(row, 'snapshot_mac'),
        keyId: readBlob(row, 'key_id'),
      }
    )
  }

  listRecords(number: string, name: string): StoredRecord[] {
    return this.#sql.records.all(number, name).map(toRecord)
  }

  findRecord(number: string, name: string, indexMac: Uint8Array): StoredRecord | undefined {
    const row = this.#sql.record.get(number, name, indexMac)
    return row && toRecord(row)
  }

  countRecords(number: string, name: string): number {
    return readInteger(this.#sql.count.get(number, name) ?? {}, 'records')
  }

  /** The patches after this version, if all of them are still stored. */
  listPatchesAfter(number: string, name: string, version: number): Buffer[] | undefined {
    const found = this.#sql.patches.all(number, name, version)
    const [first] = found
    if (first !== undefined && readInteger(first, 'version') !== version + 1) return undefined
    return found.map((row) => readBlob(row, 'patch'))
  }

  /** Applies a patch as a whole, or not at all. */
  storePatch(
    number: string,
    name: string,
    { version, sum, snapshotMac, keyId, patch, removed, added }: PatchStep,
  ) {
    this.#database.exec('begin')
    try {
      for (const mac of removed) this.#sql.deleteRecord.run(number, name, mac)
      for (const one of added) {
        this.#sql.setRecord.run(number, name, one.indexMac, one.valueMac, one.record, one.action)
      }
      this.#sql.setCollection.run(number, name, version, sum, snapshotMac, keyId)
      this.#sql.addPatch.run(number, name, version, patch)
      this.#sql.trim.run(number, name, version - MAX_PATCHES)
      this.#database.exec('commit')
    } catch (error) {
      this.#database.exec('rollback')
      throw error
    }
  }
}
