// The journal: acts from the edge with their outcomes, stored until the edge has seen them.

import { journal, sessions } from '@msgnet/shared/db/host-tables.ts'
import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { OUTCOME_RETENTION_MS } from '@msgnet/shared/retention-periods.ts'
import type { Outcome } from '@msgnet/shared/wire/outcome.ts'
import { createRefusal, createUnknownOutcome } from '@msgnet/shared/wire/outcome.ts'
import { and, eq, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import type { DeferredWrite } from './deferred-writes.ts'
import type { FencedStore } from './fenced-store.ts'
import { type Store, statement } from './host-store.ts'
import { LeavingMark } from './leaving-mark.ts'

export type JournalRow = typeof journal.$inferSelect
type NewRow = Pick<JournalRow, 'id' | 'instance' | 'action' | 'messageid'>

const isUnknown = sql`json_extract(${journal.outcome}, '$.kind') = 'unknown'`
/** Only what became of a message is seen later. */
const isResolvable = sql`${isUnknown} and ${journal.messageid} <> ''`
/** Without its row, an act would count as one that was never started. Keys of an instance that is no longer here are gone with it. */
const isStillUnknown = sql`${isUnknown} and exists (select 1 from ${sessions} where ${sessions.instance} = ${journal.instance})`

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
    hasLeft: value('hasLeft'),
  }),
)
/** The action of a row that keeps an act from being started. */
const NO_ACTION = ''
export const isRefusedAhead = ({ action }: JournalRow): boolean => action === NO_ACTION
// Counts as seen, so that it stays for its time: it has no outcome that an edge would confirm.
const REFUSE = prepareQuery((db) =>
  db.insert(journal).values({
    id: value('id'),
    instance: value('instance'),
    action: NO_ACTION,
    holder: value('holder'),
    acceptedAt: value('acceptedAt'),
    hasLeft: false,
    seen: true,
  }),
)
const MARK_LEFT = prepareQuery((db) =>
  db
    .update(journal)
    .set({ hasLeft: true })
    .where(and(holders, eq(journal.id, value('id')))),
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
    .where(
      and(holders, sql`${journal.id} in (select value from json_each(${value('ids')}))`, isStillUnknown),
    ),
)
const DELETE_SEEN = prepareQuery((db) =>
  db
    .delete(journal)
    .where(
      and(
        holders,
        sql`${journal.id} in (select value from json_each(${value('ids')}))`,
        sql`not (${isStillUnknown})`,
      ),
    ),
)

const stoppedAfter = createUnknownOutcome('the session host stopped while this was running')
const stoppedBefore = createRefusal(
  'msgnet_unreachable',
  'The session host stopped before anything of this was sent.',
)

/** The outcome of an act that its host did not end. */
export const interruptedOutcome = sql`CASE WHEN ${journal.hasLeft} THEN ${JSON.stringify(stoppedAfter)}
  ELSE ${JSON.stringify(stoppedBefore)} END`

/** The messages of such acts that have not left fail, and are reported, as soon as their session is resumed. */
export const addInterruptedSends = (by: 'holder' | 'instance', name: string): Statement =>
  statement(
    `INSERT INTO unawaited (instance, messageid, has_left) SELECT instance, messageid, 0 FROM journal
    WHERE ${by} = ? AND outcome IS NULL AND messageid <> '' AND NOT has_left ON CONFLICT DO NOTHING`,
    name,
  )

/** Called before the first lease. Acts that ran when the process died may have had their effect, if something of it had left. */
export async function markInterruptedActs(store: Store, holder: string): Promise<void> {
  const ownRows = eq(journal.holder, holder)
  const old = lt(journal.acceptedAt, Date.now() - OUTCOME_RETENTION_MS)
  const { db } = store
  await store.commit([
    addInterruptedSends('holder', holder),
    db
      .update(journal)
      .set({ outcome: interruptedOutcome })
      .where(and(ownRows, isNull(journal.outcome))),
    db.delete(journal).where(and(ownRows, eq(journal.seen, true), old)),
  ])
}

/** The pairing in the outcome of an act that began to link a device. */
function readPairing(outcome: Outcome): unknown {
  const { pairing } = (outcome.kind === 'done' && (outcome.result as { pairing?: unknown } | null)) || {}
  return pairing
}

/** An act whose entry is in the journal, or on its way. */
export interface OpenedAct extends DeferredWrite {
  /** Something of its effect is about to leave; that is on disk before. */
  markLeft(): void
}

const replacePairing = (outcome: Outcome, pairing: unknown): Outcome =>
  outcome.kind === 'done' ? { ...outcome, result: { ...(outcome.result as object), pairing } } : outcome

export class Journal {
  readonly #store: FencedStore
  /** A host that took the instance over also took its acts, so our later writes must not change them. */
  readonly #ownRows: SQL
  /** The pairings by act id. They are not stored, because they hold the device's own secret. */
  readonly #pairings = new Map<string, unknown>()
  /** Acts whose outcome the edge has seen, and that are deleted soon. */
  readonly #deleted = new Set<string>()

  constructor(store: FencedStore) {
    this.#store = store
    this.#ownRows = eq(journal.holder, store.holder)
  }

  async findAct(id: string): Promise<JournalRow | undefined> {
    const [row] = await this.#store.db.select().from(journal).where(eq(journal.id, id))
    return row && { ...row, outcome: row.outcome && this.#addPairing(id, row.outcome) }
  }

  /** On disk when it resolves. Throws if the id exists already. */
  async openAct(row: NewRow, hasLeft: boolean): Promise<OpenedAct> {
    const { mark, insert } = this.#createOpening(row)
    if (hasLeft) mark.set()
    await this.#store.commitFor(row.instance, [insert])
    return { written: Promise.resolve(), markLeft: () => mark.set() }
  }

  /** On disk before anything that the act writes, and before its session sends anything to the network. */
  async openActDeferred(row: NewRow): Promise<OpenedAct> {
    const store = this.#store
    // The transaction would find it too late, when the library has already used the writes that join it.
    if (!store.shared && (await store.rows(EXISTS, row.id)).length > 0)
      throw new Error(`${row.id} is in the journal already`)
    const { mark, insert } = this.#createOpening(row)
    const { written } = await store.deferWrite(row.instance, [insert])
    return { written, markLeft: () => mark.set() }
  }

  /** From then on an act with this id is not started. Throws if the id exists already, or if the instance is not here. */
  refuseAct({ id, instance }: Pick<JournalRow, 'id' | 'instance'>): Promise<void> {
    const { holder } = this.#store
    return this.#store.commitFor(instance, [REFUSE.bind({ id, instance, holder, acceptedAt: Date.now() })])
  }

  /** Stores the outcome, together with the deferred writes of the act. */
  async storeOutcome({ id, instance }: Pick<JournalRow, 'id' | 'instance'>, outcome: Outcome): Promise<void> {
    // In the same turn, so that it is one transaction; the caller that deferred a write gets its failure.
    this.#store.writeDeferred(instance)?.catch(() => undefined)
    await this.#store.commit([this.buildOutcomeStatement(id, outcome)])
  }

  /** The statement that stores an outcome, for a commit with other statements. */
  buildOutcomeStatement(id: string, outcome: Outcome): Statement {
    const pairing = readPairing(outcome)
    if (pairing) this.#pairings.set(id, pairing)
    const stored = pairing ? replacePairing(outcome, null) : outcome
    return STORE_OUTCOME.bind({ holder: this.#store.holder, id, outcome: stored })
  }

  /** The outcomes that the edge has not seen. */
  async listUnseen(): Promise<{ id: string; instance: string; outcome: Outcome }[]> {
    const rows = await this.#store.db
      .select({ id: journal.id, instance: journal.instance, outcome: journal.outcome })
      .from(journal)
      .where(and(this.#ownRows, isNotNull(journal.outcome), eq(journal.seen, false)))
    return rows.flatMap(({ id, instance, outcome }) =>
      outcome && !this.#deleted.has(id) ? [{ id, instance, outcome: this.#addPairing(id, outcome) }] : [],
    )
  }

  /** Deletes acts whose outcome the edge has seen, except unknown ones. */
  async deleteSeen(ids: string[]): Promise<void> {
    for (const id of ids) this.#pairings.delete(id)
    for (const id of ids) this.#deleted.add(id)
    await this.#store.scheduleCleanup('journal', () => {
      const values = { holder: this.#store.holder, ids: JSON.stringify([...this.#deleted]) }
      return [MARK_UNKNOWN_SEEN.bind(values), DELETE_SEEN.bind(values)]
    })
    for (const id of ids) this.#deleted.delete(id)
  }

  /** Acts with an unknown outcome that sent a message. */
  async listUnknown(
    instance?: string,
  ): Promise<Pick<JournalRow, 'id' | 'instance' | 'action' | 'messageid'>[]> {
    const { id, action, messageid } = journal
    const ofInstance = instance === undefined ? undefined : eq(journal.instance, instance)
    return this.#store.db
      .select({ id, instance: journal.instance, action, messageid })
      .from(journal)
      .where(and(this.#ownRows, isResolvable, ofInstance))
  }

  /** Replaces an unknown outcome by one that the edge has not seen. */
  async resolveOutcome(id: string, outcome: Outcome): Promise<void> {
    this.#deleted.delete(id)
    await this.#store.commit([
      this.#store.db
        .update(journal)
        .set({ outcome, seen: false })
        .where(and(this.#ownRows, eq(journal.id, id))),
    ])
  }

  #addPairing(id: string, outcome: Outcome): Outcome {
    return this.#pairings.has(id) ? replacePairing(outcome, this.#pairings.get(id)) : outcome
  }

  #createOpening(row: NewRow): { mark: LeavingMark; insert: Statement } {
    const { holder } = this.#store
    const acceptedAt = Date.now()
    const mark = new LeavingMark(this.#store, row.instance, () => MARK_LEFT.bind({ holder, id: row.id }))
    const insert = mark.createInsert((hasLeft) => OPEN.bind({ ...row, holder, acceptedAt, hasLeft }))
    return { mark, insert }
  }
}
