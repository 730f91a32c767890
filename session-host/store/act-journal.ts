// The journal: acts from the edge with their outcomes, kept until the edge has seen them.

import { and, eq, isNotNull, isNull, lt, sql } from 'drizzle-orm'
import { journal, sessions } from '../../shared/db/host-tables.ts'
import { prepareQuery, type Statement } from '../../shared/db/prepared-queries.ts'
import { OUTCOME_RETENTION_MS } from '../../shared/retention-periods.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { createUnknownOutcome } from '../../shared/wire/outcome.ts'
import type { DeferredWrite } from './deferred-writes.ts'
import type { FencedStore } from './fenced-store.ts'
import type { Store } from './host-store.ts'

export type JournalRow = typeof journal.$inferSelect
type NewRow = Pick<JournalRow, 'id' | 'instance' | 'action' | 'messageid'>

export interface Journal {
  findAct(id: string): Promise<JournalRow | undefined>
  /** On disk when it resolves. Throws if the id exists already. */
  openAct(row: NewRow): Promise<void>
  /** On disk before anything that the act writes, and before its session sends anything to the network. */
  openActDeferred(row: NewRow): Promise<DeferredWrite>
  /** Stores the outcome, together with the deferred writes of the act. */
  storeOutcome(row: Pick<JournalRow, 'id' | 'instance'>, outcome: Outcome): Promise<void>
  /** The statement that stores an outcome, for a commit with other statements. */
  buildOutcomeStatement(id: string, outcome: Outcome): Statement
  /** The outcomes that the edge has not seen. */
  listUnseen(): Promise<{ id: string; instance: string; outcome: Outcome }[]>
  /** Deletes acts whose outcome the edge has seen, except unknown ones that may still be resolved. */
  deleteSeen(ids: string[]): Promise<void>
  /** Acts with an unknown outcome that sent a message. */
  listUnknown(instance?: string): Promise<Pick<JournalRow, 'id' | 'instance' | 'action' | 'messageid'>[]>
  /** Replaces an unknown outcome by one that the edge has not seen. */
  resolveOutcome(id: string, outcome: Outcome): Promise<void>
}

const isUnknown = sql`json_extract(${journal.outcome}, '$.kind') = 'unknown' and ${journal.messageid} <> ''`
/** Outcomes of an instance that is no longer here cannot be resolved. */
const isResolvable = sql`${isUnknown} and exists (select 1 from ${sessions} where ${sessions.instance} = ${journal.instance})`

const value = sql.placeholder
const holders = eq(journal.holder, value('holder'))

const OPEN = prepareQuery((db) =>
  db.insert(journal).values({
    id: value('id'),
    instance: value('instance'),
    action: value('action'),
    messageid: value('messageid'),
    holder: value('holder'),
    acceptedAt: value('acceptedAt'),
  }),
)
const EXISTS = 'SELECT 1 FROM journal WHERE id = ?'
const STORE_OUTCOME = prepareQuery((db) =>
  db
    .update(journal)
    .set({ outcome: value('outcome') as never })
    .where(and(holders, eq(journal.id, value('id')), isNull(journal.outcome))),
)
const MARK_UNKNOWN_SEEN = prepareQuery((db) =>
  db
    .update(journal)
    .set({ seen: true })
    .where(and(holders, sql`${journal.id} in (select value from json_each(${value('ids')}))`, isResolvable)),
)
const DELETE_SEEN = prepareQuery((db) =>
  db
    .delete(journal)
    .where(
      and(
        holders,
        sql`${journal.id} in (select value from json_each(${value('ids')}))`,
        sql`not (${isResolvable})`,
      ),
    ),
)

/** Called before the first lease. Acts that ran when the process died may have had their effect, so their outcome is unknown. */
export async function markInterruptedActs({ db, commit }: Store, holder: string): Promise<void> {
  const outcome = createUnknownOutcome('the session host stopped while this was running')
  const ownRows = eq(journal.holder, holder)
  const old = lt(journal.acceptedAt, Date.now() - OUTCOME_RETENTION_MS)
  await commit([
    db
      .update(journal)
      .set({ outcome })
      .where(and(ownRows, isNull(journal.outcome))),
    db.delete(journal).where(and(ownRows, eq(journal.seen, true), old)),
  ])
}

/** The pairing in the outcome of an act that began to link a device. */
function readPairing(outcome: Outcome): unknown {
  const { pairing } = (outcome.kind === 'done' && (outcome.result as { pairing?: unknown } | null)) || {}
  return pairing
}

const replacePairing = (outcome: Outcome, pairing: unknown): Outcome =>
  outcome.kind === 'done' ? { ...outcome, result: { ...(outcome.result as object), pairing } } : outcome

export function createJournal(store: FencedStore): Journal {
  const { holder } = store
  // A host that took the instance over also took its acts, so our later writes must not change them.
  const ownRows = eq(journal.holder, holder)
  /** The pairings by act id. They are not stored, because they hold the device's own secret. */
  const pairings = new Map<string, unknown>()
  const addPairing = (id: string, outcome: Outcome): Outcome =>
    pairings.has(id) ? replacePairing(outcome, pairings.get(id)) : outcome
  const buildOpenStatement = (row: NewRow) => OPEN.bind({ ...row, holder, acceptedAt: Date.now() })
  function buildOutcomeStatement(id: string, outcome: Outcome): Statement {
    const pairing = readPairing(outcome)
    if (pairing) pairings.set(id, pairing)
    return STORE_OUTCOME.bind({ holder, id, outcome: pairing ? replacePairing(outcome, null) : outcome })
  }
  /** Outcomes that the edge has seen, and that are deleted soon. */
  const deleted = new Set<string>()

  return {
    async findAct(id) {
      const [row] = await store.db.select().from(journal).where(eq(journal.id, id))
      return row && { ...row, outcome: row.outcome && addPairing(id, row.outcome) }
    },
    openAct: (row) => store.commitFor(row.instance, [buildOpenStatement(row)]),
    async openActDeferred(row) {
      // The transaction would find it too late, when the library has already used the writes that join it.
      if (!store.shared && (await store.rows(EXISTS, row.id)).length > 0)
        throw new Error(`${row.id} is in the journal already`)
      return store.deferWrite(row.instance, [buildOpenStatement(row)])
    },
    async storeOutcome({ id, instance }, outcome) {
      // In the same turn, so that it is one transaction; the caller that deferred a write gets its failure.
      store.writeDeferred(instance)?.catch(() => undefined)
      await store.commit([buildOutcomeStatement(id, outcome)])
    },
    buildOutcomeStatement,
    async listUnseen() {
      const rows = await store.db
        .select({ id: journal.id, instance: journal.instance, outcome: journal.outcome })
        .from(journal)
        .where(and(ownRows, isNotNull(journal.outcome), eq(journal.seen, false)))
      return rows.flatMap(({ id, instance, outcome }) =>
        outcome && !deleted.has(id) ? [{ id, instance, outcome: addPairing(id, outcome) }] : [],
      )
    },
    async deleteSeen(ids) {
      for (const id of ids) pairings.delete(id)
      for (const id of ids) deleted.add(id)
      await store.scheduleCleanup('journal', () => {
        const which = { holder, ids: JSON.stringify([...deleted]) }
        return [MARK_UNKNOWN_SEEN.bind(which), DELETE_SEEN.bind(which)]
      })
      for (const id of ids) deleted.delete(id)
    },
    listUnknown: (instance) =>
      store.db
        .select({
          id: journal.id,
          instance: journal.instance,
          action: journal.action,
          messageid: journal.messageid,
        })
        .from(journal)
        .where(and(ownRows, isUnknown, instance === undefined ? undefined : eq(journal.instance, instance))),
    async resolveOutcome(id, outcome) {
      deleted.delete(id)
      await store.commit([
        store.db
          .update(journal)
          .set({ outcome, seen: false })
          .where(and(ownRows, eq(journal.id, id))),
      ])
    },
  }
}
