// Exports everything that is stored of an instance, in pages by key.

import { calls, chats, groups, messages, scheduled } from '@msgnet/shared/db/host-tables.ts'
import { blocked, chatLabels, chatSettings, contacts, labels } from '@msgnet/shared/db/setting-tables.ts'
import type { ExportedKind } from '@msgnet/shared/wire/session-actions.ts'
import { and, asc, eq, getTableColumns, gt, lte, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { NetworkGroup } from '../driver/driver.ts'
import type { StoreReader } from './heavy-reads.ts'
import { countPageRows, readByteLength } from './page-bytes.ts'
import { selectUsername } from './username-store.ts'

/** A row and its key, after which the next page begins. */
export interface KeyedRow {
  key: string
  row: object
}

/** Returns at most `max` rows, those with the keys after `after`. */
type Page = (reader: StoreReader, instance: string, after: string, max: number) => Promise<KeyedRow[]>
export type Pages = Record<ExportedKind, Page>

/** The last key of a page that begins after `after`: the rows after it would be more than a page holds. */
async function findLastKey(
  { db }: StoreReader,
  { table, key, large }: { table: OwnedTable; key: SQLiteColumn; large: SQLiteColumn },
  instance: string,
  { after, max }: { after: string; max: number },
): Promise<string> {
  const sizes = await db
    .select({ key, size: readByteLength(large) })
    .from(table)
    .where(and(eq(table.instance, instance), gt(key, after)))
    .orderBy(asc(key))
    .limit(max)
  return String(sizes[countPageRows(sizes) - 1]?.key ?? after)
}

type OwnedTable = SQLiteTable & { instance: SQLiteColumn }

/** Rows of one column that may be large. */
const createLargePage =
  (table: OwnedTable, key: SQLiteColumn, large: SQLiteColumn): Page =>
  async (reader, instance, after, max) => {
    const last = await findLastKey(reader, { table, key, large }, instance, { after, max })
    const found = await reader.db
      .select({ key, row: large })
      .from(table)
      .where(and(eq(table.instance, instance), gt(key, after), lte(key, last)))
      .orderBy(asc(key))
    return found as unknown as KeyedRow[]
  }

/** `row`: the exported columns, one that holds the whole record or several by their names. */
const createPage =
  (table: OwnedTable, key: SQLiteColumn, row: SQLiteColumn | Record<string, SQLiteColumn | SQL>): Page =>
  async ({ db }, instance, after, max) => {
    const found = await db
      .select({ key, row })
      .from(table)
      .where(and(eq(table.instance, instance), gt(key, after)))
      .orderBy(asc(key))
      .limit(max)
    // The columns are known only at run time.
    return found as unknown as KeyedRow[]
  }

/** `toRecord` builds the record of a group in the contract's shape. */
export const createExportPages = (toRecord: (group: NetworkGroup) => object): Pages => ({
  message: createLargePage(messages, messages.messageid, messages.record),
  scheduled: createLargePage(scheduled, scheduled.messageid, scheduled.record),
  chat: createPage(chats, chats.chatid, {
    id: chats.chatid,
    lid: chats.chatlid,
    name: chats.name,
    isGroup: chats.isGroup,
    lastMessageId: chats.lastMessageid,
    lastMessageTimestamp: chats.lastAt,
    username: selectUsername(sql`chats.instance`, chats.chatid, chats.chatlid),
  }),
  chatSettings: createPage(chatSettings, chatSettings.chatid, removeInstance(getTableColumns(chatSettings))),
  contact: createPage(contacts, contacts.jid, {
    jid: contacts.jid,
    lid: contacts.lid,
    name: contacts.name,
    firstName: contacts.firstName,
    username: selectUsername(sql`contacts.instance`, contacts.jid, contacts.lid),
  }),
  blocked: createPage(blocked, blocked.id, removeInstance(getTableColumns(blocked))),
  label: createPage(labels, labels.labelid, removeInstance(getTableColumns(labels))),
  call: createPage(calls, calls.callid, calls.record),

  async chatLabel({ db }, instance, after, max) {
    const key = sql<string>`${chatLabels.chatid} || ' ' || ${chatLabels.labelid}`
    const found = await db
      .select({ key, chatid: chatLabels.chatid, labelid: chatLabels.labelid })
      .from(chatLabels)
      .where(and(eq(chatLabels.instance, instance), sql`${key} > ${after}`))
      .orderBy(key)
      .limit(max)
    return found.map(({ key, ...row }) => ({ key, row }))
  },

  async group(reader, instance, after, max) {
    // `after` is never less than the row without an id, which only means that all groups have been listed.
    const found = await createLargePage(groups, groups.jid, groups.group)(reader, instance, after, max)
    return found.map(({ key, row }) => ({ key, row: toRecord(row as NetworkGroup) }))
  },
})

function removeInstance<Columns extends { instance: unknown }>(columns: Columns): Omit<Columns, 'instance'> {
  const { instance: _, ...rest } = columns
  return rest
}
