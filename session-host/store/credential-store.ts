// The stored keys of devices: each is sealed for its own row, and on disk before a write returns.

import type { InValue } from '@libsql/client'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { DamagedSealError, type Sealer } from '@msgnet/shared/seal.ts'
import type { StoredKey } from '../driver/driver.ts'
import { crashIfArmed } from '../process/crash-points.ts'
import type { Log } from '../process/host-log.ts'
import { LoopShare } from '../process/loop-share.ts'
import { deleteInTurns } from './delete-in-turns.ts'
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

/** While rows of an import are stored, or those of a device deleted: without this one and with `creds` they are a device's. */
const IMPORTING = 'importing'
const isTorn = `EXISTS (SELECT 1 FROM credentials AS mark WHERE mark.instance = credentials.instance
  AND mark.kind = '${IMPORTING}' AND mark.id = '')`
const DELETE_TORN = `DELETE FROM credentials WHERE instance = ? AND ${isTorn}`
const DELETE_ALL_TORN = `DELETE FROM credentials
  WHERE instance IN (SELECT instance FROM sessions WHERE holder = ?) AND ${isTorn}`

const buildMark = async (sealer: Sealer, instance: string): Promise<InValue[]> => [
  IMPORTING,
  '',
  await sealer.seal(new Uint8Array(), buildContext(instance, IMPORTING, '')),
]

/** Of one commit: it is written in the thread that serves every session. */
export const MAX_IMPORTED_ROWS = 64
const MAX_IMPORTED_BYTES = 64 * 1024

/** What an import or a deletion that was killed has left. */
export const deleteTornImport = (instance: string): Statement => statement(DELETE_TORN, instance)
export const deleteTornImports = (holder: string): Statement => statement(DELETE_ALL_TORN, holder)

/** Stores the keys of a device in place of any others, in many commits; with the statements of `end` they are those of the instance. */
export class CredentialReplacement {
  readonly #sealer: Sealer
  readonly #instance: string
  readonly #keys: StoredKey[]

  constructor(sealer: Sealer, instance: string, keys: StoredKey[]) {
    this.#sealer = sealer
    this.#instance = instance
    this.#keys = keys
  }

  /** All but `creds`: until those are stored too, no device is linked. `signal` ends it between two commits. */
  async storeKeys(store: Pick<Store, 'commitFor'>, signal: AbortSignal): Promise<void> {
    const commit = (statements: Statement[]) => store.commitFor(this.#instance, statements)
    const mark = await buildMark(this.#sealer, this.#instance)
    await commit([statement(DELETE_DEVICE, this.#instance), this.#insert(mark)])
    const share = new LoopShare()
    let values: InValue[] = []
    let bytes = 0
    const flush = async () => {
      if (values.length > 0) await commit([this.#insert(values)])
      values = []
      bytes = 0
      signal.throwIfAborted()
    }
    for (const key of this.#keys) {
      if (key.kind === CREDS) continue
      values.push(...(await this.#seal(key)))
      bytes += key.value.length
      if (values.length / 3 >= MAX_IMPORTED_ROWS || bytes >= MAX_IMPORTED_BYTES) await flush()
      await share.rest()
    }
    await flush()
    crashIfArmed('after-imported-keys')
  }

  /** To be committed once the others are stored. */
  async end(): Promise<Statement[]> {
    const creds = this.#keys.filter(({ kind }) => kind === CREDS)
    const rows = await Promise.all(creds.map((key) => this.#seal(key)))
    return [this.#insert(rows.flat()), statement(DELETE, this.#instance, IMPORTING, '')]
  }

  async #seal({ kind, id, value }: StoredKey): Promise<InValue[]> {
    return [kind, id, await this.#sealer.seal(value, buildContext(this.#instance, kind, id))]
  }

  #insert(values: InValue[]): Statement {
    const rows = Array.from({ length: values.length / 3 }, () => '(?, ?, ?, ?)').join()
    const args = values.flatMap((value, at) => (at % 3 === 0 ? [this.#instance, value] : [value]))
    return { sql: `INSERT INTO credentials (instance, kind, id, value) VALUES ${rows}`, args }
  }
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
    async deleteAll(instance) {
      // Without `creds` and behind the mark they are nobody's.
      const prepare = async () => [
        statement(DELETE, instance, CREDS, ''),
        statement(STORE, instance, ...(await buildMark(sealer, instance))),
      ]
      await deleteInTurns(store, instance, 'credentials', { prepare })
      await store.commitFor(instance, [statement(DELETE_DEVICE, instance)])
    },
  }
}
