// The stored keys of devices: each is sealed for its own row, and on disk before a write returns.

import { setImmediate as yieldTurn } from 'node:timers/promises'
import type { InValue } from '@libsql/client'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { DamagedSealError, type Sealer } from '@msgnet/shared/seal.ts'
import type { StoredKey } from '../driver/driver.ts'
import { crashIfArmed } from '../process/crash-points.ts'
import type { Log } from '../process/host-log.ts'
import { type Row, type Store, statement } from './host-store.ts'

export interface CredentialChange {
  kind: string
  id: string
  /** null deletes it. */
  value: Uint8Array<ArrayBuffer> | null
}

export interface CredentialStore {
  /**
   * The stored values of these ids. Throws SealError when the seal key of a row is missing, or `creds` are damaged.
   * Any other damaged key counts as missing: it is negotiated again with the other device.
   */
  read(instance: string, kind: string, ids: string[]): Promise<Map<string, Uint8Array<ArrayBuffer>>>
  /** All rows of a kind, in the order of their ids. */
  readAll(instance: string, kind: string): Promise<Map<string, Uint8Array<ArrayBuffer>>>
  write(instance: string, changes: CredentialChange[]): Promise<void>
  /** Deletes, with another commit or soon, the ids that `listIds` returns at that time. After a failure they stay until they are read. */
  deleteLater(instance: string, kind: string, listIds: () => string[]): Promise<void>
  /** Deletes all keys of the device. */
  deleteAll(instance: string): Promise<void>
}

/** The kind of the row that holds a device's identity. */
export const CREDS = 'creds'

const READ =
  'SELECT id, value FROM credentials WHERE instance = ? AND kind = ? AND id IN (SELECT value FROM json_each(?))'
const READ_ALL = 'SELECT id, value FROM credentials WHERE instance = ? AND kind = ? ORDER BY id'
const STORE =
  'INSERT INTO credentials (instance, kind, id, value) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'
const DELETE_ALL =
  'DELETE FROM credentials WHERE instance = ? AND kind = ? AND id IN (SELECT value FROM json_each(?))'
const DELETE_DEVICE = 'DELETE FROM credentials WHERE instance = ?'
const DELETE = 'DELETE FROM credentials WHERE instance = ? AND kind = ? AND id = ?'

const buildContext = (instance: string, kind: string, id: string) => `credential:${instance}:${kind}:${id}`

/** Rows of one statement: each has four values. */
const ROWS_AT_ONCE = 500
/** Sealed in one turn of the event loop. */
const SEALED_AT_ONCE = 64

/** The statements that replace all keys of a device by these, sealed. */
export async function buildReplacement(
  sealer: Sealer,
  instance: string,
  keys: StoredKey[],
): Promise<Statement[]> {
  const statements: Statement[] = [statement(DELETE_DEVICE, instance)]
  let values: InValue[] = []
  for (const [at, { kind, id, value }] of keys.entries()) {
    if (at % SEALED_AT_ONCE === 0) await yieldTurn()
    values.push(instance, kind, id, await sealer.seal(value, buildContext(instance, kind, id)))
    if (at + 1 < keys.length && (at + 1) % ROWS_AT_ONCE !== 0) continue
    const rows = Array.from({ length: values.length / 4 }, () => '(?, ?, ?, ?)').join()
    statements.push({
      sql: `INSERT INTO credentials (instance, kind, id, value) VALUES ${rows}`,
      args: values,
    })
    values = []
  }
  return statements
}

export function createCredentialStore(store: Store, sealer: Sealer, log: Log): CredentialStore {
  async function openRows(instance: string, kind: string, rows: Row[]) {
    const found = new Map<string, Uint8Array<ArrayBuffer>>()
    for (const row of rows) {
      const id = String(row.id)
      const sealed = new Uint8Array(row.value as ArrayBuffer)
      try {
        found.set(id, await sealer.open(sealed, buildContext(instance, kind, id)))
      } catch (error) {
        if (kind === CREDS || !(error instanceof DamagedSealError)) throw error
        log.error({ instance, kind, error }, 'damaged key skipped')
      }
    }
    return found
  }

  async function buildStatement(instance: string, { kind, id, value }: CredentialChange): Promise<Statement> {
    if (value === null) return statement(DELETE, instance, kind, id)
    return statement(STORE, instance, kind, id, await sealer.seal(value, buildContext(instance, kind, id)))
  }

  return {
    async read(instance, kind, ids) {
      if (ids.length === 0) return new Map()
      return openRows(instance, kind, await store.rows(READ, instance, kind, JSON.stringify(ids)))
    },
    readAll: async (instance, kind) => openRows(instance, kind, await store.rows(READ_ALL, instance, kind)),
    async write(instance, changes) {
      const statements = await Promise.all(changes.map((change) => buildStatement(instance, change)))
      crashIfArmed('before-credential-commit')
      await store.commitFor(instance, statements)
      crashIfArmed('after-credential-commit')
    },
    deleteLater: (instance, kind, listIds) =>
      store.cleanUpFor(instance, () => {
        const ids = listIds()
        return ids.length === 0 ? [] : [statement(DELETE_ALL, instance, kind, JSON.stringify(ids))]
      }),
    deleteAll: (instance) => store.commitFor(instance, [statement(DELETE_DEVICE, instance)]),
  }
}
