// The stored keys of devices: each is sealed for its own row, and on disk before a write returns.

import type { Statement } from '../../shared/db/statements.ts'
import { type Sealer, TornSeal } from '../../shared/seal.ts'
import { crashPoint } from '../crash.ts'
import type { Log } from '../log.ts'
import { type Row, type Store, statement } from './store.ts'

export interface CredentialChange {
  kind: string
  id: string
  /** null deletes it. */
  value: Uint8Array<ArrayBuffer> | null
}

export interface CredentialStore {
  /**
   * The stored values of these ids. Throws SealError when the seal key of a row is missing, or `creds` are damaged.
   * Any other damaged key counts as lost: it is negotiated again with the other device.
   */
  read(instance: string, kind: string, ids: string[]): Promise<Map<string, Uint8Array<ArrayBuffer>>>
  /** All rows of a kind, in the order of their ids. */
  all(instance: string, kind: string): Promise<Map<string, Uint8Array<ArrayBuffer>>>
  write(instance: string, changes: CredentialChange[]): Promise<void>
  /** Deletes, with another commit or soon, the ids that `take` answers at that time. After a failure they stay until they are read. */
  forget(instance: string, kind: string, take: () => string[]): Promise<void>
  /** Deletes all keys of the device. */
  clear(instance: string): Promise<void>
}

/** The kind of the row that holds a device's identity. */
export const CREDS = 'creds'

const READ =
  'SELECT id, value FROM credentials WHERE instance = ? AND kind = ? AND id IN (SELECT value FROM json_each(?))'
const READ_ONE = 'SELECT id, value FROM credentials WHERE instance = ? AND kind = ? AND id = ?'
const READ_ALL = 'SELECT id, value FROM credentials WHERE instance = ? AND kind = ? ORDER BY id'
const KEEP =
  'INSERT INTO credentials (instance, kind, id, value) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'
const FORGET_ALL =
  'DELETE FROM credentials WHERE instance = ? AND kind = ? AND id IN (SELECT value FROM json_each(?))'
const FORGET = 'DELETE FROM credentials WHERE instance = ? AND kind = ? AND id = ?'

export function makeCredentialStore(store: Store, sealer: Sealer, log: Log): CredentialStore {
  const context = (instance: string, kind: string, id: string) => `credential:${instance}:${kind}:${id}`

  async function open(instance: string, kind: string, rows: Row[]) {
    const found = new Map<string, Uint8Array<ArrayBuffer>>()
    for (const row of rows) {
      const id = String(row.id)
      const sealed = new Uint8Array(row.value as ArrayBuffer)
      try {
        found.set(id, await sealer.open(sealed, context(instance, kind, id)))
      } catch (thrown) {
        if (kind === CREDS || !(thrown instanceof TornSeal)) throw thrown
        log.error({ instance, kind, err: thrown }, 'a damaged key is left aside')
      }
    }
    return found
  }

  async function keepOrForget(instance: string, { kind, id, value }: CredentialChange): Promise<Statement> {
    if (value === null) return statement(FORGET, instance, kind, id)
    return statement(KEEP, instance, kind, id, await sealer.seal(value, context(instance, kind, id)))
  }

  return {
    async read(instance, kind, ids) {
      const [one, ...more] = ids
      if (one === undefined) return new Map()
      const rows =
        more.length === 0
          ? await store.rows(READ_ONE, instance, kind, one)
          : await store.rows(READ, instance, kind, JSON.stringify(ids))
      return open(instance, kind, rows)
    },
    all: async (instance, kind) => open(instance, kind, await store.rows(READ_ALL, instance, kind)),
    async write(instance, changes) {
      const statements = await Promise.all(changes.map((change) => keepOrForget(instance, change)))
      crashPoint('before-credential-commit')
      await store.commitFor(instance, statements)
      crashPoint('after-credential-commit')
    },
    forget: (instance, kind, take) =>
      store.tidyFor(instance, () => {
        const ids = take()
        return ids.length === 0 ? [] : [statement(FORGET_ALL, instance, kind, JSON.stringify(ids))]
      }),
    clear: (instance) =>
      store.commitFor(instance, [statement('DELETE FROM credentials WHERE instance = ?', instance)]),
  }
}
