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

export type PatchStep = Collection & { patch: Buffer; dropped: Buffer[]; kept: StoredRecord[] }

/** Older patches are in snapshots only. */
const MAX_PATCHES = 100

const toRecord = (row: Row): StoredRecord => ({
  indexMac: readBlob(row, 'index_mac'),
  valueMac: readBlob(row, 'value_mac'),
  record: readBlob(row, 'record'),
  action: readBlob(row, 'action'),
})

export function createAppStateTable(database: DatabaseSync) {
  const keys = database.prepare(
    'select id, secret, made_at from app_state_keys where number = ? order by seq',
  )
  const addKey = database.prepare(
    'insert into app_state_keys (number, id, secret, made_at) values (?, ?, ?, ?)',
  )
  const given = database.prepare('select 1 as yes from app_state_keys_given where number = ? and device = ?')
  const give = database.prepare('insert or ignore into app_state_keys_given values (?, ?)')
  const collection = database.prepare('select * from app_state_collections where number = ? and name = ?')
  const setCollection = database.prepare(
    'insert or replace into app_state_collections values (?, ?, ?, ?, ?, ?)',
  )
  const records = database.prepare(
    'select * from app_state_records where number = ? and name = ? order by seq',
  )
  const record = database.prepare(
    'select * from app_state_records where number = ? and name = ? and index_mac = ?',
  )
  const setRecord = database.prepare(`insert into app_state_records
    (number, name, index_mac, value_mac, record, action) values (?, ?, ?, ?, ?, ?)`)
  const dropRecord = database.prepare(
    'delete from app_state_records where number = ? and name = ? and index_mac = ?',
  )
  const count = database.prepare(
    'select count(*) as records from app_state_records where number = ? and name = ?',
  )
  const patches = database.prepare(`select version, patch from app_state_patches
    where number = ? and name = ? and version > ? order by version`)
  const addPatch = database.prepare('insert into app_state_patches values (?, ?, ?, ?)')
  const trim = database.prepare(
    'delete from app_state_patches where number = ? and name = ? and version <= ?',
  )

  return {
    /** The last one is used for writing. */
    listKeys(number: string): AppStateKey[] {
      return keys.all(number).map((row) => ({
        id: readBlob(row, 'id'),
        secret: readBlob(row, 'secret'),
        madeAt: readInteger(row, 'made_at'),
      }))
    },
    addKey(number: string, { id, secret, madeAt }: AppStateKey) {
      addKey.run(number, id, secret, madeAt)
    },
    /** Whether the phone has shared the account's keys with this companion. */
    isShared(number: string, device: number): boolean {
      return given.get(number, device) !== undefined
    },
    markShared(number: string, device: number) {
      give.run(number, device)
    },
    findCollection(number: string, name: string): Collection | undefined {
      const row = collection.get(number, name)
      return (
        row && {
          version: readInteger(row, 'version'),
          sum: readBlob(row, 'sum'),
          snapshotMac: readBlob(row, 'snapshot_mac'),
          keyId: readBlob(row, 'key_id'),
        }
      )
    },
    listRecords(number: string, name: string): StoredRecord[] {
      return records.all(number, name).map(toRecord)
    },
    findRecord(number: string, name: string, indexMac: Uint8Array): StoredRecord | undefined {
      const row = record.get(number, name, indexMac)
      return row && toRecord(row)
    },
    countRecords(number: string, name: string): number {
      return readInteger(count.get(number, name) ?? {}, 'records')
    },
    /** The patches after this version, if all of them are still stored. */
    listPatchesAfter(number: string, name: string, version: number): Buffer[] | undefined {
      const found = patches.all(number, name, version)
      const [first] = found
      if (first !== undefined && readInteger(first, 'version') !== version + 1) return undefined
      return found.map((row) => readBlob(row, 'patch'))
    },
    /** Applies a patch as a whole, or not at all. */
    storePatch(
      number: string,
      name: string,
      { version, sum, snapshotMac, keyId, patch, dropped, kept }: PatchStep,
    ) {
      database.exec('begin')
      try {
        for (const mac of dropped) dropRecord.run(number, name, mac)
        for (const one of kept) {
          setRecord.run(number, name, one.indexMac, one.valueMac, one.record, one.action)
        }
        setCollection.run(number, name, version, sum, snapshotMac, keyId)
        addPatch.run(number, name, version, patch)
        trim.run(number, name, version - MAX_PATCHES)
        database.exec('commit')
      } catch (error) {
        database.exec('rollback')
        throw error
      }
    },
  }
}
