// The gaps of instances, and the messages of gaps that are stored and not yet reported.

import { gapStates } from '@msgnet/shared/contract/coverage.ts'
import { gaps, lateMessages } from '@msgnet/shared/db/gap-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, asc, eq, inArray } from 'drizzle-orm'
import { type Store, statement } from './host-store.ts'
import type { MessageRow } from './message-store.ts'

export type GapRow = typeof gaps.$inferSelect
type GapState = GapRow['state']

/** The oldest first. */
export const listGaps = ({ db }: Store, instance: string): Promise<GapRow[]> =>
  db.select().from(gaps).where(eq(gaps.instance, instance)).orderBy(asc(gaps.to))

export const addGap = ({ db }: Store, gap: GapRow): Statement => db.insert(gaps).values(gap)

export const deleteGaps = ({ db }: Store, instance: string): Statement =>
  db.delete(gaps).where(eq(gaps.instance, instance))

export const changeGapState = ({ db }: Store, { instance, to }: GapRow, state: GapState): Statement =>
  db
    .update(gaps)
    .set({ state })
    .where(and(eq(gaps.instance, instance), eq(gaps.to, to)))

/** What a part of a history holds of a gap. */
export interface GapProgress {
  /** Messages that are new. */
  recovered: number
  /** Of all that the part holds. */
  oldest: number
}

// Relative, so that each message counts once, whatever the memory of a host says.
const ADD_PROGRESS = `UPDATE gaps SET recovered = recovered + ?3, oldest = min(coalesce(oldest, ?4), ?4),
  state = CASE WHEN ?3 > 0 THEN 'filling' ELSE state END WHERE instance = ?1 AND to_at = ?2`

export const addGapProgress = ({ instance, to }: GapRow, { recovered, oldest }: GapProgress): Statement =>
  statement(ADD_PROGRESS, instance, to, recovered, oldest)

/** The same change of a row in memory. */
export const applyGapProgress = (gap: GapRow, { recovered, oldest }: GapProgress): GapRow => ({
  ...gap,
  recovered: gap.recovered + recovered,
  oldest: Math.min(gap.oldest ?? oldest, oldest),
  state: recovered > 0 ? 'filling' : gap.state,
})

/** Those that ended after `since`. */
export const countGaps = async (
  store: Store,
  holder: string,
  since: number,
): Promise<Record<GapState, number>> => {
  const found = await store.rows(COUNT, holder, since)
  const counts = new Map(found.map(({ state, count }) => [String(state), Number(count)]))
  const pairs = gapStates.map((state) => [state, counts.get(state) ?? 0])
  return Object.fromEntries(pairs)
}
const COUNT = `SELECT gaps.state AS state, count(*) AS count FROM gaps
  JOIN sessions ON sessions.instance = gaps.instance WHERE sessions.holder = ? AND gaps.to_at >= ? GROUP BY 1`

/** `place`: the order of the phone among messages of the same second. */
export const addLateMessage = ({ instance, messageid, at }: MessageRow, place: number): Statement =>
  statement(ADD_LATE, instance, messageid, at, place)
const ADD_LATE =
  'INSERT INTO late_messages (instance, messageid, at, place) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'

/** The ids of the oldest ones. */
export async function listLateMessages({ db }: Store, instance: string, max: number): Promise<string[]> {
  const rows = await db
    .select({ messageid: lateMessages.messageid })
    .from(lateMessages)
    .where(eq(lateMessages.instance, instance))
    .orderBy(asc(lateMessages.at), asc(lateMessages.place))
    .limit(max)
  return rows.map(({ messageid }) => messageid)
}

export const deleteLateMessages = ({ db }: Store, instance: string, messageids: string[]): Statement =>
  db
    .delete(lateMessages)
    .where(and(eq(lateMessages.instance, instance), inArray(lateMessages.messageid, messageids)))

/** Of sessions that are up: all of them in one statement. */
export const moveCoverage = (holder: string, instances: string[], until: number): Statement =>
  statement(MOVE, until, holder, JSON.stringify(instances))
const MOVE = `UPDATE sessions SET coverage = json_set(coverage, '$.until', ?1)
  WHERE holder = ?2 AND coverage IS NOT NULL AND instance IN (SELECT value FROM json_each(?3))`
