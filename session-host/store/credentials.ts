// Devices' keys at rest: sealed one by one, each for its own row, and on disk before a write returns.

import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { credentials } from '../../shared/db/host-tables.ts'
import type { Sealer } from '../../shared/seal.ts'
import type { Statement, Store } from './store.ts'

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

/** SQLite binds at most 32,766 values in a statement; a page of rows stays far below. */
const ROWS_A_STATEMENT = 500

export function makeCredentialStore(store: Store, sealer: Sealer): CredentialStore {
  const context = (instance: string, kind: string, id: string) => `credential:${instance}:${kind}:${id}`

  const rowsOf = (instance: string, kind: string, ids: string[]) =>
    and(eq(credentials.instance, instance), eq(credentials.kind, kind), inArray(credentials.id, ids))

  return {
    async read(instance, kind, ids) {
      const found = new Map<string, Uint8Array<ArrayBuffer>>()
      for (const page of pages(ids)) {
        const rows = await store.read
          .select({ id: credentials.id, value: credentials.value })
          .from(credentials)
          .where(rowsOf(instance, kind, page))
        for (const { id, value } of rows) found.set(id, await sealer.open(value, context(instance, kind, id)))
      }
      return found
    },

    async all(instance, kind) {
      const found = new Map<string, Uint8Array<ArrayBuffer>>()
      const rows = await store.read
        .select({ id: credentials.id, value: credentials.value })
        .from(credentials)
        .where(and(eq(credentials.instance, instance), eq(credentials.kind, kind)))
        .orderBy(asc(credentials.id))
      for (const { id, value } of rows) found.set(id, await sealer.open(value, context(instance, kind, id)))
      return found
    },

    async write(instance, changes) {
      const kept = await Promise.all(
        changes.flatMap(({ kind, id, value }) =>
          value === null
            ? []
            : [
                sealer
                  .seal(value, context(instance, kind, id))
                  .then((sealed) => ({ instance, kind, id, value: sealed })),
              ],
        ),
      )
      const statements: Statement[] = pages(kept).map((rows) =>
        store.read
          .insert(credentials)
          .values(rows)
          .onConflictDoUpdate({
            target: [credentials.instance, credentials.kind, credentials.id],
            set: { value: sql`excluded.value` },
          }),
      )
      const forgotten = Map.groupBy(
        changes.filter(({ value }) => value === null),
        ({ kind }) => kind,
      )
      for (const [kind, rows] of forgotten) {
        for (const page of pages(rows.map(({ id }) => id))) {
          statements.push(store.read.delete(credentials).where(rowsOf(instance, kind, page)))
        }
      }
      await store.commit(statements)
    },

    async clear(instance) {
      await store.commit([store.read.delete(credentials).where(eq(credentials.instance, instance))])
    },
  }
}

const pages = <Row>(rows: Row[]): Row[][] =>
  Array.from({ length: Math.ceil(rows.length / ROWS_A_STATEMENT) }, (_, page) =>
    rows.slice(page * ROWS_A_STATEMENT, (page + 1) * ROWS_A_STATEMENT),
  )
