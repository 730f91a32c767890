// Exports everything that is stored of an instance, in pages by key.

import { and, asc, eq, getTableColumns, gt, lte, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { calls, chats, groups, messages } from '../../shared/db/host-tables.ts'
import { blocked, chatLabels, chatSettings, contacts, labels } from '../../shared/db/setting-tables.ts'
import type { Exported } from '../../shared/wire/actions.ts'
import type { NetworkGroup } from '../driver/driver.ts'
import { countPageRows, readByteLength } from './page-bytes.ts'
import type { Store } from './store.ts'

/** A row and its key, after which the next page begins. */
export interface KeyedRow {
  key: string
  row: object
}

/** Answers at most `most` rows, those with the keys after `after`. */
type Page = (store: Store, instance: string, after: string, most: number) => Promise<KeyedRow[]>
export type Pages = Record<Exported, Page>

/** The last key of a page that begins after `after`: the rows after it would be more than a page holds. */
async function findLastKey(
  { db }: Store,
  { table, key, large }: { table: OwnedTable; key: SQLiteColumn; large: SQLiteColumn },
  instance: string,
  { after, most }: { after: string; most: number },
): Promise<string> {
  const sizes = await db
    .select({ key, size: readByteLength(large) })
    .from(table)
    .where(and(eq(table.instance, instance), gt(key, after)))
    .orderBy(asc(key))
    .limit(most)
  return String(sizes[countPageRows(sizes) - 1]?.key ?? after)
}

type OwnedTable = SQLiteTable & { instance: SQLiteColumn }

/** Rows of one column that may be large. */
const pageLargeRows =
  (table: OwnedTable, key: SQLiteColumn, large: SQLiteColumn): Page =>
  async (store, instance, after, most) => {
    const last = await findLastKey(store, { table, key, large }, instance, { after, most })
    const found = await store.db
      .select({ key, row: large })
      .from(table)
      .where(and(eq(table.instance, instance), gt(key, after), lte(key, last)))
      .orderBy(asc(key))
    return found as unknown as KeyedRow[]
  }

/** `row`: the exported columns, one that holds the whole record or several by their names. */
const pageOf =
  (table: OwnedTable, key: SQLiteColumn, row: SQLiteColumn | Record<string, SQLiteColumn>): Page =>
  async ({ db }, instance, after, most) => {
    const found = await db
      .select({ key, row })
      .from(table)
      .where(and(eq(table.instance, instance), gt(key, after)))
      .orderBy(asc(key))
      .limit(most)
    // The columns are known only at run time.
    return found as unknown as KeyedRow[]
  }

/** `groupOf` makes the record of a group in the contract's shape. */
export const exportPages = (groupOf: (group: NetworkGroup) => object): Pages => ({
  message: pageLargeRows(messages, messages.messageid, messages.record),
  chat: pageOf(chats, chats.chatid, {
    ...{ id: chats.chatid, lid: chats.chatlid, name: chats.name, isGroup: chats.isGroup },
    ...{ lastMessageId: chats.lastMessageid, lastMessageTimestamp: chats.lastAt },
  }),
  chatSettings: pageOf(chatSettings, chatSettings.chatid, withoutInstance(getTableColumns(chatSettings))),
  contact: pageOf(contacts, contacts.jid, withoutInstance(getTableColumns(contacts))),
  blocked: pageOf(blocked, blocked.id, withoutInstance(getTableColumns(blocked))),
  label: pageOf(labels, labels.labelid, withoutInstance(getTableColumns(labels))),
  call: pageOf(calls, calls.callid, calls.record),

  async chatLabel({ db }, instance, after, most) {
    const key = sql<string>`${chatLabels.chatid} || ' ' || ${chatLabels.labelid}`
    const found = await db
      .select({ key, chatid: chatLabels.chatid, labelid: chatLabels.labelid })
      .from(chatLabels)
      .where(and(eq(chatLabels.instance, instance), sql`${key} > ${after}`))
      .orderBy(key)
      .limit(most)
    return found.map(({ key, ...row }) => ({ key, row }))
  },

  async group(store, instance, after, most) {
    // `after` is never less than the row without an id, which only means that all groups have been listed.
    const found = await pageLargeRows(groups, groups.jid, groups.group)(store, instance, after, most)
    return found.map(({ key, row }) => ({ key, row: groupOf(row as NetworkGroup) }))
  },
})

function withoutInstance<Columns extends { instance: unknown }>(columns: Columns): Omit<Columns, 'instance'> {
  const { instance: _, ...rest } = columns
  return rest
}
