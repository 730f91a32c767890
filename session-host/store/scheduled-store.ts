// Rows of messages that are sent at a time, and the pieces of their files.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { scheduled, scheduledFiles } from '@msgnet/shared/db/host-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, asc, eq, sql } from 'drizzle-orm'
import { type Store, statement } from './host-store.ts'
import { type ChatChoice, matchChoice } from './match-choice.ts'

export type ScheduledRow = typeof scheduled.$inferSelect
export type NewScheduledRow = typeof scheduled.$inferInsert

const HELD = 'instance IN (SELECT instance FROM sessions WHERE holder = ?1)'
/** By the index of the times (a plus keeps SQLite from that of the instances), so that the first row ends the search. */
const HELD_BY_TIME = `+${HELD}`
/**
 * The first row of each instance, by the index of its times: however many of one are due, the search passes over none of them. `?1`: an
 * object of the instances that may have one sent or ended now, each with the time until which its rows are.
 */
const NEXT = `SELECT row.instance, row.messageid FROM json_each(?1) AS own
  CROSS JOIN scheduled AS row ON row.n = (SELECT n FROM scheduled
    WHERE instance = own.key AND due_at <= own.value AND n NOT IN (SELECT value FROM json_each(?2))
    ORDER BY due_at, n LIMIT 1)
  ORDER BY row.due_at, row.n LIMIT ?3`
const SOONEST = `SELECT due_at AS at FROM scheduled WHERE ${HELD_BY_TIME} ORDER BY due_at LIMIT 1`
const TOTALS = `SELECT count(*) AS waiting, min(due_at) AS soonest FROM scheduled WHERE ${HELD}`
/** Both from indexes: an instance may have ten thousand. */
const COUNT = `SELECT (SELECT count(*) FROM scheduled WHERE instance = ?1) AS waiting,
  (SELECT coalesce(sum(file_bytes), 0) FROM scheduled WHERE instance = ?1 AND file_bytes > 0) AS bytes`
const DELETE = 'DELETE FROM scheduled WHERE instance = ? AND messageid = ?'
const DELETE_FILE = 'DELETE FROM scheduled_files WHERE instance = ? AND messageid = ?'
const DELETE_ORPHANS = `DELETE FROM scheduled_files WHERE ${HELD} AND NOT EXISTS (SELECT 1 FROM scheduled
  WHERE scheduled.instance = scheduled_files.instance AND scheduled.messageid = scheduled_files.messageid)`

export const addScheduled = ({ db }: Store, row: NewScheduledRow): Statement =>
  db.insert(scheduled).values(row)

/** With its file. */
export const deleteScheduled = (instance: string, messageid: string): Statement[] => [
  statement(DELETE, instance, messageid),
  deleteScheduledFile(instance, messageid),
]

export const deleteScheduledFile = (instance: string, messageid: string): Statement =>
  statement(DELETE_FILE, instance, messageid)

/** Pieces of messages that were never scheduled, because the host was killed while their file arrived. */
export const deleteOrphanedFiles = (holder: string): Statement => statement(DELETE_ORPHANS, holder)

export async function findScheduled(
  { db }: Store,
  instance: string,
  messageid: string,
): Promise<ScheduledRow | undefined> {
  const [row] = await db
    .select()
    .from(scheduled)
    .where(and(eq(scheduled.instance, instance), eq(scheduled.messageid, messageid)))
  return row
}

interface DueFilter {
  /** Instances, each with the time until which rows of it are sent or ended. */
  until: Record<string, number>
  /** Numbers of rows that are tried again later. */
  postponed: number[]
  max: number
}

/** One row of each instance that has some: the one that is sent next, or has to be ended. Those that are due first come first. */
export async function findDueRows(
  store: Store,
  { until, postponed, max }: DueFilter,
): Promise<{ instance: string; messageid: string }[]> {
  const rows = await store.rows(NEXT, JSON.stringify(until), JSON.stringify(postponed), max)
  return rows.map(({ instance, messageid }) => ({
    instance: String(instance),
    messageid: String(messageid),
  }))
}

/** In milliseconds since the epoch; undefined if no instance of the holder has one. */
export async function findSoonestDue(store: Store, holder: string): Promise<number | undefined> {
  const [row] = await store.rows(SOONEST, holder)
  return row?.at == null ? undefined : Number(row.at)
}

export async function readScheduledTotals(store: Store, holder: string) {
  const [row] = await store.rows(TOTALS, holder)
  return { waiting: Number(row?.waiting), soonest: row?.soonest == null ? undefined : Number(row.soonest) }
}

/** `bytes`: of their files. */
export async function countScheduled(store: Store, instance: string) {
  const [row] = await store.rows(COUNT, instance)
  return { waiting: Number(row?.waiting), bytes: Number(row?.bytes) }
}

const CHAT = sql`json_extract(${scheduled.record}, '$.chatid')`
const LID = sql`json_extract(${scheduled.record}, '$.chatlid')`

/** The soonest first, after this place. */
export async function listScheduledRecords(
  { db }: Store,
  instance: string,
  { dueAt, n }: Pick<ScheduledRow, 'dueAt' | 'n'>,
  max: number,
  choice?: ChatChoice,
): Promise<MessageRecord[]> {
  const isAfter = sql`(${scheduled.dueAt}, ${scheduled.n}) > (${dueAt}, ${n})`
  const rows = await db
    .select({ record: scheduled.record })
    .from(scheduled)
    .where(and(eq(scheduled.instance, instance), isAfter, choice && matchChoice(choice, CHAT, LID)))
    .orderBy(asc(scheduled.dueAt), asc(scheduled.n))
    .limit(max)
  return rows.map(({ record }) => record)
}

export async function countScheduledIn({ db }: Store, instance: string, choice: ChatChoice): Promise<number> {
  const [row] = await db
    .select({ waiting: sql<number>`count(*)` })
    .from(scheduled)
    .where(and(eq(scheduled.instance, instance), matchChoice(choice, CHAT, LID)))
  return row?.waiting ?? 0
}

export async function findFirstScheduled({ db }: Store, instance: string): Promise<ScheduledRow | undefined> {
  const [row] = await db
    .select()
    .from(scheduled)
    .where(eq(scheduled.instance, instance))
    .orderBy(asc(scheduled.n))
    .limit(1)
  return row
}

export const addPiece = ({ db }: Store, piece: typeof scheduledFiles.$inferInsert): Statement =>
  db.insert(scheduledFiles).values(piece)

export async function findPiece(
  { db }: Store,
  instance: string,
  messageid: string,
  place: number,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const [row] = await db
    .select({ bytes: scheduledFiles.bytes })
    .from(scheduledFiles)
    .where(
      and(
        eq(scheduledFiles.instance, instance),
        eq(scheduledFiles.messageid, messageid),
        eq(scheduledFiles.place, place),
      ),
    )
  return row?.bytes
}
