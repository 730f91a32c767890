// Acts taken from the edge and what became of them, kept until the edge has seen it.

import { and, eq, inArray, isNotNull, isNull } from 'drizzle-orm'
import { journal } from '../../shared/db/host-tables.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { unknown } from '../../shared/wire/outcome.ts'
import type { Store } from './store.ts'

export type JournalRow = typeof journal.$inferSelect

export interface Journal {
  find(id: string): Promise<JournalRow | undefined>
  open(row: Pick<JournalRow, 'id' | 'instance' | 'action' | 'messageid'>): Promise<void>
  settle(id: string, outcome: Outcome): Promise<void>
  /** Those whose outcome the edge has not seen. */
  unseen(): Promise<{ id: string; outcome: Outcome }[]>
  forget(ids: string[]): Promise<void>
}

/** Acts that were running when the process died may have had their effect: nobody knows. */
export async function openJournal(store: Store): Promise<Journal> {
  const outcome = unknown('the session host stopped while this was running')
  await store.commit([store.read.update(journal).set({ outcome }).where(isNull(journal.outcome))])

  return {
    async find(id) {
      const [row] = await store.read.select().from(journal).where(eq(journal.id, id))
      return row
    },
    open: (row) => store.commit([store.read.insert(journal).values({ ...row, acceptedAt: Date.now() })]),
    settle: (id, outcome) =>
      store.commit([
        store.read
          .update(journal)
          .set({ outcome })
          .where(and(eq(journal.id, id), isNull(journal.outcome))),
      ]),
    async unseen() {
      const rows = await store.read
        .select({ id: journal.id, outcome: journal.outcome })
        .from(journal)
        .where(isNotNull(journal.outcome))
      return rows.flatMap(({ id, outcome }) => (outcome ? [{ id, outcome }] : []))
    },
    forget: (ids) => store.commit([store.read.delete(journal).where(inArray(journal.id, ids))]),
  }
}
