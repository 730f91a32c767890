// What is stored of an instance, in pages by key, for whoever it belongs to.

import { and, asc, eq, getTableColumns, gt, ne, sql } from 'drizzle-orm'
import {
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

/** A row under the key that the next page goes on from. */
export interface KeyedRow {
  key: string
  row: object
}

/** At most so many, those with the next greater keys. */
export type Pages = Record<
  Exported,
  (store: Store, instance: string, after: string, most: number) => Promise<KeyedRow[]>
>

/** `groupOf` makes the record of a group that callers know. */
export const exportPages = (groupOf: (group: NetworkGroup) => object): Pages => ({
  message: ({ db }, instance, after, most) =>
    db
      .select({ key: messages.messageid, row: messages.record })
      .from(messages)
      .where(and(eq(messages.instance, instance), gt(messages.messageid, after)))
      .orderBy(asc(messages.messageid))
      .limit(most),

  async chat({ db }, instance, after, most) {
    const found = await db
      .select()
      .from(chats)
      .where(and(eq(chats.instance, instance), gt(chats.chatid, after)))
      .orderBy(asc(chats.chatid))
      .limit(most)
    return found.map(({ chatid, chatlid, name, isGroup, lastAt, lastMessageid }) => ({
      key: chatid,
      row: {
        ...{ id: chatid, lid: chatlid, name, isGroup },
        ...{ lastMessageId: lastMessageid, lastMessageTimestamp: lastAt },
      },
    }))
  },

  async chatSettings({ db }, instance, after, most) {
    const found = await db
      .select(withoutInstance(getTableColumns(chatSettings)))
      .from(chatSettings)
      .where(and(eq(chatSettings.instance, instance), gt(chatSettings.chatid, after)))
      .orderBy(asc(chatSettings.chatid))
      .limit(most)
    return found.map((row) => ({ key: row.chatid, row }))
  },

  async contact({ db }, instance, after, most) {
    const found = await db
      .select(withoutInstance(getTableColumns(contacts)))
      .from(contacts)
      .where(and(eq(contacts.instance, instance), gt(contacts.jid, after)))
      .orderBy(asc(contacts.jid))
      .limit(most)
    return found.map((row) => ({ key: row.jid, row }))
  },

  async label({ db }, instance, after, most) {
    const found = await db
      .select(withoutInstance(getTableColumns(labels)))
      .from(labels)
      .where(and(eq(labels.instance, instance), gt(labels.labelid, after)))
      .orderBy(asc(labels.labelid))
      .limit(most)
    return found.map((row) => ({ key: row.labelid, row }))
  },

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
      // The row without an id says that all have been listed.
      .where(and(eq(groups.instance, instance), gt(groups.jid, after), ne(groups.jid, '')))
      .orderBy(asc(groups.jid))
      .limit(most)
    return found.map(({ key, group }) => ({ key, row: groupOf(group as NetworkGroup) }))
  },

  call: ({ db }, instance, after, most) =>
    db
      .select({ key: calls.callid, row: calls.record })
      .from(calls)
      .where(and(eq(calls.instance, instance), gt(calls.callid, after)))
      .orderBy(asc(calls.callid))
      .limit(most),
})

function withoutInstance<Columns extends { instance: unknown }>(columns: Columns): Omit<Columns, 'instance'> {
  const { instance: _, ...rest } = columns
  return rest
}
