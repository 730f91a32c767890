// Deletes the many rows of one instance in small commits: each is written in the thread that serves every session.

import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { LoopShare } from '../process/loop-share.ts'
import { type Store, statement } from './host-store.ts'

/** Of one commit. */
export const MAX_DELETED_ROWS = 256

/** Where a kind of rows is, and which of them are left for the last commit of all. */
const tables = {
  credentials: "credentials WHERE instance = ? AND kind NOT IN ('creds', 'importing')",
  messages: 'messages WHERE instance = ?',
}
const OF_CHATS = ' AND chatid IN (SELECT value FROM json_each(?))'

interface Choice {
  prepare?(): Promise<Statement[]>
  /** Only those of these chats, where the rows are messages. */
  chatids?: string[]
}

/**
 * Leaves at most `MAX_DELETED_ROWS` of them to the commit that deletes all. `prepare` is committed before, unless there are so few: what it
 * writes says that the rest is nothing any more, if the process ends before that.
 */
export async function deleteInTurns(
  store: Pick<Store, 'rows' | 'commitFor'>,
  instance: string,
  table: keyof typeof tables,
  { prepare, chatids }: Choice = {},
): Promise<void> {
  const rows = tables[table] + (chatids ? OF_CHATS : '')
  const args = chatids ? [instance, JSON.stringify(chatids)] : [instance]
  const some = `SELECT rowid FROM ${rows} LIMIT ${MAX_DELETED_ROWS}`
  const left = `SELECT count(*) AS count FROM (SELECT 1 FROM ${rows} LIMIT ${MAX_DELETED_ROWS + 1})`
  const isLarge = async () => Number((await store.rows(left, ...args))[0]?.count) > MAX_DELETED_ROWS
  if (!(await isLarge())) return
  const first = (await prepare?.()) ?? []
  if (first.length > 0) await store.commitFor(instance, first)
  const share = new LoopShare()
  do {
    share.begin()
    await store.commitFor(instance, [statement(`DELETE FROM ${table} WHERE rowid IN (${some})`, ...args)])
    await share.rest()
  } while (await isLarge())
}
