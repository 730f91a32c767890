// Exports everything that is stored of an instance, in pages by key.

import { and, asc, eq, getTableColumns, gt, ne, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import {
  blocked,
  calls,
  chatLabels,
  chatSettings,
  chats,
  contacts,
  groups,
  labels,
  messages,
} from '../../shared/db/host-tables.ts'
import type { Exported } from '../../shared/wire/actions.ts'
import type { NetworkGroup } from '../driver/driver.ts'
import type { Store } from './store.ts'

/** A row and its key, after which the next page begins. */
export interface KeyedRow {
  key: string
  row: object
}

/** Answers at most `most` rows, those with the keys after `after`. */
type Page = (store: Store, instance: string, after: string, most: number) => Promise<KeyedRow[]>
export type Pages = Record<Exported, Page>

type OwnedTable = SQLiteTable & { instance: SQLiteColumn }

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
  message: pageOf(messages, messages.messageid, messages.record),
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

  async group({ db }, instance, after, most) {
    const found = await db
      .select({ key: groups.jid, group: groups.group })
      .from(groups)
      // The row without an id only means that all groups have been listed.
      .where(and(eq(groups.instance, instance), gt(groups.jid, after), ne(groups.jid, '')))
      .orderBy(asc(groups.jid))
      .limit(most)
    return found.map(({ key, group }) => ({ key, row: groupOf(group as NetworkGroup) }))
  },
})

function withoutInstance<Columns extends { instance: unknown }>(columns: Columns): Omit<Columns, 'instance'> {
  const { instance: _, ...rest } = columns
  return rest
}
