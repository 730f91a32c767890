// The journal: acts from the edge with their outcomes, kept until the edge has seen them.

import { and, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import { journal, sessions } from '../../shared/db/host-tables.ts'
import { prepare, type Statement } from '../../shared/db/statements.ts'
import { TRACKED_MS } from '../../shared/kept.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { unknown } from '../../shared/wire/outcome.ts'
import type { DeferredWrite } from './deferred-writes.ts'
import type { FencedStore } from './fencing.ts'
import type { Store } from './store.ts'

export type JournalRow = typeof journal.$inferSelect
type NewRow = Pick<JournalRow, 'id' | 'instance' | 'action' | 'messageid'>

export interface Journal {
  find(id: string): Promise<JournalRow | undefined>
  /** On disk when it resolves. Throws if the id exists already. */
  open(row: NewRow): Promise<void>
  /** On disk before anything that the act writes, and before its session sends anything to the network. */
  openDeferred(row: NewRow): Promise<DeferredWrite>
  /** Stores the outcome, together with the deferred writes of the act. */
  settle(row: Pick<JournalRow, 'id' | 'instance'>, outcome: Outcome): Promise<void>
  /** The statement that stores an outcome, for a commit with other statements. */
  settlement(id: string, outcome: Outcome): Statement
  /** The outcomes that the edge has not seen. */
  unseen(): Promise<{ id: string; instance: string; outcome: Outcome }[]>
  /** Deletes acts whose outcome the edge has seen, except unknown ones that may still be resolved. */
  forget(ids: string[]): Promise<void>
  /** Acts with an unknown outcome that sent a message. */
  unknown(instance?: string): Promise<Pick<JournalRow, 'id' | 'instance' | 'action' | 'messageid'>[]>
  /** Replaces an unknown outcome by one that the edge has not seen. */
  resolve(id: string, outcome: Outcome): Promise<void>
}

const isUnknown = sql`json_extract(${journal.outcome}, '$.kind') = 'unknown' and ${journal.messageid} <> ''`
/** Outcomes of an instance that is no longer here cannot be resolved. */
const mayBeKnown = sql`${isUnknown} and exists (select 1 from ${sessions} where ${sessions.instance} = ${journal.instance})`

const value = sql.placeholder
const holders = eq(journal.holder, value('holder'))

const OPEN = prepare((db) =>
  db.insert(journal).values({
    ...{ id: value('id'), instance: value('instance'), action: value('action') },
    ...{ messageid: value('messageid'), holder: value('holder'), acceptedAt: value('acceptedAt') },
  }),
)
const IS_THERE = 'SELECT 1 FROM journal WHERE id = ?'
const SETTLE = prepare((db) =>
  db
    .update(journal)
    .set({ outcome: value('outcome') as never })
    .where(and(holders, eq(journal.id, value('id')), isNull(journal.outcome))),
)
const KEEP_UNKNOWN = prepare((db) =>
  db
    .update(journal)
    .set({ seen: true })
    .where(and(holders, sql`${journal.id} in (select value from json_each(${value('ids')}))`, mayBeKnown)),
)
const FORGET = prepare((db) =>
  db
    .delete(journal)
    .where(
      and(
        holders,
        sql`${journal.id} in (select value from json_each(${value('ids')}))`,
        sql`not (${mayBeKnown})`,
      ),
    ),
)

/** Called before the first lease. Acts that ran when the process died may have had their effect, so their outcome is unknown. */
export async function settleLeftOver({ db, commit }: Store, holder: string): Promise<void> {
  const outcome = unknown('the session host stopped while this was running')
  const ours = eq(journal.holder, holder)
  const old = lt(journal.acceptedAt, Date.now() - TRACKED_MS)
  await commit([
    db
      .update(journal)
      .set({ outcome })
      .where(and(ours, isNull(journal.outcome))),
    db.delete(journal).where(and(ours, eq(journal.seen, true), old)),
  ])
}

/** The pairing in the outcome of an act that began to link a device. */
function pairingIn(outcome: Outcome): unknown {
  const { pairing } = (outcome.kind === 'done' && (outcome.result as { pairing?: unknown } | null)) || {}
  return pairing
}

const withPairing = (outcome: Outcome, pairing: unknown): Outcome =>
  outcome.kind === 'done' ? { ...outcome, result: { ...(outcome.result as object), pairing } } : outcome

export function makeJournal(store: FencedStore): Journal {
  const { holder } = store
  // A host that took the instance over also took its acts, so our later writes must not change them.
  const ours = eq(journal.holder, holder)
  /** The pairings by act id. They are not stored, because they hold the device's own secret. */
  const pairings = new Map<string, unknown>()
  const completed = (id: string, outcome: Outcome): Outcome =>
    pairings.has(id) ? withPairing(outcome, pairings.get(id)) : outcome
  const opening = (row: NewRow) => OPEN.statement({ ...row, holder, acceptedAt: Date.now() })
  function settlement(id: string, outcome: Outcome): Statement {
    const pairing = pairingIn(outcome)
    if (pairing) pairings.set(id, pairing)
    return SETTLE.statement({ holder, id, outcome: pairing ? withPairing(outcome, null) : outcome })
  }
  /** Outcomes that the edge has seen, and that are deleted soon. */
  const forgotten = new Set<string>()

  return {
    async find(id) {
      const [row] = await store.db.select().from(journal).where(eq(journal.id, id))
      return row && { ...row, outcome: row.outcome && completed(id, row.outcome) }
    },
    open: (row) => store.commitFor(row.instance, [opening(row)]),
    async openDeferred(row) {
      // The transaction would find it too late, when the library has already used the writes that join it.
      if (!store.shared && (await store.rows(IS_THERE, row.id)).length > 0)
        throw new Error(`${row.id} is in the journal already`)
      return store.defer(row.instance, [opening(row)])
    },
    async settle({ id, instance }, outcome) {
      // In the same turn, so that it is one transaction; the caller that deferred a write gets its failure.
      store.writeDeferred(instance)?.catch(() => undefined)
      await store.commit([settlement(id, outcome)])
    },
    settlement,
    async unseen() {
      const rows = await store.db
        .select({ id: journal.id, instance: journal.instance, outcome: journal.outcome })
        .from(journal)
        .where(and(ours, isNotNull(journal.outcome), eq(journal.seen, false)))
      return rows.flatMap(({ id, instance, outcome }) =>
        outcome && !forgotten.has(id) ? [{ id, instance, outcome: completed(id, outcome) }] : [],
      )
    },
    async forget(ids) {
      for (const id of ids) pairings.delete(id)
      for (const id of ids) forgotten.add(id)
      await store.later('journal', () => {
        const which = { holder, ids: JSON.stringify([...forgotten]) }
        return [KEEP_UNKNOWN.statement(which), FORGET.statement(which)]
      })
      for (const id of ids) forgotten.delete(id)
    },
    unknown: (instance) =>
      store.db
        .select({
          ...{ id: journal.id, instance: journal.instance },
          ...{ action: journal.action, messageid: journal.messageid },
        })
        .from(journal)
        .where(and(ours, isUnknown, instance === undefined ? undefined : eq(journal.instance, instance))),
    async resolve(id, outcome) {
      forgotten.delete(id)
      await store.commit([
        store.db
          .update(journal)
          .set({ outcome, seen: false })
          .where(and(ours, eq(journal.id, id))),
      ])
    },
  }
}
