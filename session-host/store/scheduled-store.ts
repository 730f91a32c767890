// Rows of messages that are sent at a time, and the pieces of their files.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { scheduled, scheduledFiles } from '@msgnet/shared/db/host-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, asc, eq } from 'drizzle-orm'
import { type Store, statement } from './host-store.ts'

export type ScheduledRow = typeof scheduled.$inferSelect
export type NewScheduledRow = typeof scheduled.$inferInsert

const HELD = 'instance IN (SELECT instance FROM sessions WHERE holder = ?1)'
/** By the index of the times (a plus keeps SQLite from that of the instances), so that the first row ends the search. */
const HELD_BY_TIME = `+${HELD}`
/** An instance that is connected sends what is due; what is too late or must not be sent any more needs no connection. */
const NEXT = `SELECT instance, messageid FROM scheduled
  WHERE due_at <= ?2 AND +instance IN (SELECT value FROM json_each(?1))
    AND instance NOT IN (SELECT value FROM json_each(?3)) AND n NOT IN (SELECT value FROM json_each(?4))
    AND (ended <> '' OR due_at <= ?5 OR instance IN (SELECT value FROM json_each(?6)))
  ORDER BY due_at, n LIMIT 1`
const SOONEST = `SELECT due_at AS at FROM scheduled WHERE ${HELD_BY_TIME} ORDER BY due_at LIMIT 1`
const TOTALS = `SELECT count(*) AS waiting, min(due_at) AS soonest FROM scheduled WHERE ${HELD}`
const COUNT = `SELECT count(*) AS waiting, coalesce(sum(file_bytes), 0) AS bytes
  FROM scheduled WHERE instance = ?`
const LIST = `SELECT record FROM scheduled
  WHERE instance = ?1 AND (due_at, n) > (?2, ?3)
  ORDER BY due_at, n LIMIT ?4`
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
  /** The instances of this host, and those of them that are connected. */
  here: string[]
  connected: string[]
  now: number
  /** What was due before this is too late. */
  missedBefore: number
  busy: string[]
  /** Numbers of rows that are tried again later. */
  postponed: number[]
}

/** The row that is sent next, or has to be ended. */
export async function findDueRow(
  store: Store,
  { here, connected, now, missedBefore, busy, postponed }: DueFilter,
): Promise<{ instance: string; messageid: string } | undefined> {
  const lists = [busy, postponed].map((list) => JSON.stringify(list))
  const [row] = await store.rows(
    NEXT,
    JSON.stringify(here),
    now,
    ...lists,
    missedBefore,
    JSON.stringify(connected),
  )
  return row && { instance: String(row.instance), messageid: String(row.messageid) }
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

/** The soonest first, after this place. */
export async function listScheduledRecords(
  store: Store,
  instance: string,
  { dueAt, n }: Pick<ScheduledRow, 'dueAt' | 'n'>,
  max: number,
): Promise<MessageRecord[]> {
  const rows = await store.rows(LIST, instance, dueAt, n, max)
  return rows.map(({ record }) => JSON.parse(String(record)) as MessageRecord)
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
