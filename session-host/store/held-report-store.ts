// Reports that wait for a file: listed in order, given the link of the file, and moved to the outbox.

import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { type Store, statement } from './host-store.ts'

/** Where and how long a report waits. */
export interface Hold {
  chatid: string
  /** The message whose file it waits for; empty if it only waits for the reports before it. */
  messageid: string
  /** In milliseconds since the epoch. */
  until: number
}

const LIST = 'SELECT n, chatid, messageid, until FROM held_reports WHERE instance = ? ORDER BY n'
const LIST_CHAT = `SELECT n, messageid FROM held_reports
  WHERE instance = ? AND chatid = ? AND n > ? ORDER BY n LIMIT ?`
const SET_LINK = `UPDATE held_reports SET report = json_set(report, '$.payload.message.fileURL', ?)
  WHERE instance = ? AND chatid = ? AND messageid = ?`
const MOVE = `INSERT INTO outbox (holder, instance, report) SELECT ?, instance, report FROM held_reports
  WHERE n IN (SELECT value FROM json_each(?)) ORDER BY n`
const DELETE = 'DELETE FROM held_reports WHERE n IN (SELECT value FROM json_each(?))'
/** As the previous holder of the instance, whose reports are renumbered next. */
const MOVE_INSTANCE = `INSERT INTO outbox (holder, instance, report)
  SELECT '', instance, report FROM held_reports WHERE instance = ? ORDER BY n`
const DELETE_INSTANCE = 'DELETE FROM held_reports WHERE instance = ?'
const HELD_HERE = 'instance IN (SELECT instance FROM sessions WHERE holder = ?1)'
const MOVE_ALL = `INSERT INTO outbox (holder, instance, report)
  SELECT ?1, instance, report FROM held_reports WHERE ${HELD_HERE} ORDER BY n`
const DELETE_ALL = `DELETE FROM held_reports WHERE ${HELD_HERE}`

export async function listHeldReports(
  store: Pick<Store, 'rows'>,
  instance: string,
): Promise<(Hold & { n: number })[]> {
  const rows = await store.rows(LIST, instance)
  return rows.map(({ n, chatid, messageid, until }) => ({
    n: Number(n),
    chatid: String(chatid),
    messageid: String(messageid),
    until: Number(until),
  }))
}

/** How many are read at a time: mostly the first of them still waits. */
const READ_AT_ONCE = 16

/** Those of a chat in order, read as far as they are looked at. */
export async function* readHeldOfChat(
  store: Pick<Store, 'rows'>,
  instance: string,
  chatid: string,
): AsyncGenerator<{ n: number; messageid: string }, void> {
  for (let after = 0; ; ) {
    const rows = await store.rows(LIST_CHAT, instance, chatid, after, READ_AT_ONCE)
    for (const { n, messageid } of rows) yield { n: Number(n), messageid: String(messageid) }
    if (rows.length < READ_AT_ONCE) return
    after = Number(rows.at(-1)?.n)
  }
}

export const setHeldLink = (
  instance: string,
  { chatid, messageid }: Pick<Hold, 'chatid' | 'messageid'>,
  fileURL: string,
): Statement => statement(SET_LINK, fileURL, instance, chatid, messageid)

export function moveHeldReports(holder: string, numbers: number[]): Statement[] {
  const list = JSON.stringify(numbers)
  return [statement(MOVE, holder, list), statement(DELETE, list)]
}

/** For a new holder of the instance. */
export const moveHeldOfInstance = (instance: string): Statement[] => [
  statement(MOVE_INSTANCE, instance),
  deleteHeldOfInstance(instance),
]

export const deleteHeldOfInstance = (instance: string): Statement => statement(DELETE_INSTANCE, instance)

/** For a host that waits for no files any more. */
export const moveAllHeld = (holder: string): Statement[] => [
  statement(MOVE_ALL, holder),
  statement(DELETE_ALL, holder),
]
