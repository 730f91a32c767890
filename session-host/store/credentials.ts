// Devices' keys at rest: sealed one by one, each for its own row, and on disk before a write returns.

import type { Row } from '@libsql/client'
import type { Sealer } from '../../shared/seal.ts'
import { type Statement, type Store, statement } from './store.ts'

export interface CredentialChange {
  kind: string
  id: string
  /** null forgets it. */
  value: Uint8Array<ArrayBuffer> | null
}

export interface CredentialStore {
  /** What is there of the ids asked for. Throws SealError when a row does not open. */
  read(instance: string, kind: string, ids: string[]): Promise<Map<string, Uint8Array<ArrayBuffer>>>
  /** Every row of a kind, in the order of their ids. */
  all(instance: string, kind: string): Promise<Map<string, Uint8Array<ArrayBuffer>>>
  write(instance: string, changes: CredentialChange[]): Promise<void>
  /** Forgets the device altogether. */
  clear(instance: string): Promise<void>
}

const READ =
  'SELECT id, value FROM credentials WHERE instance = ? AND kind = ? AND id IN (SELECT value FROM json_each(?))'
const READ_ALL = 'SELECT id, value FROM credentials WHERE instance = ? AND kind = ? ORDER BY id'
const KEEP =
  'INSERT INTO credentials (instance, kind, id, value) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'
const FORGET = 'DELETE FROM credentials WHERE instance = ? AND kind = ? AND id = ?'

export function makeCredentialStore(store: Store, sealer: Sealer): CredentialStore {
  const context = (instance: string, kind: string, id: string) => `credential:${instance}:${kind}:${id}`

  async function open(instance: string, kind: string, rows: Row[]) {
    const found = new Map<string, Uint8Array<ArrayBuffer>>()
    for (const row of rows) {
      const id = String(row.id)
      const sealed = new Uint8Array(row.value as ArrayBuffer)
      found.set(id, await sealer.open(sealed, context(instance, kind, id)))
    }
    return found
  }

  async function keepOrForget(instance: string, { kind, id, value }: CredentialChange): Promise<Statement> {
    if (value === null) return statement(FORGET, instance, kind, id)
    return statement(KEEP, instance, kind, id, await sealer.seal(value, context(instance, kind, id)))
  }

  return {
    read: async (instance, kind, ids) =>
      open(instance, kind, await store.rows(READ, instance, kind, JSON.stringify(ids))),
    all: async (instance, kind) => open(instance, kind, await store.rows(READ_ALL, instance, kind)),
    write: async (instance, changes) =>
      store.commit(await Promise.all(changes.map((change) => keepOrForget(instance, change)))),
    clear: (instance) => store.commit([statement('DELETE FROM credentials WHERE instance = ?', instance)]),
  }
}
