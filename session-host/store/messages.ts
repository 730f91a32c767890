// Stored messages of an instance, found by id or as a chat's unread ones.

import { and, desc, eq, inArray, sql } from 'drizzle-orm'
import type { MessageRecord } from '../../shared/contract/message.ts'
import { messages } from '../../shared/db/host-tables.ts'
import type { Statement, Store } from './store.ts'

export type MessageRow = typeof messages.$inferSelect

const rowOf = (instance: string, messageid: string) =>
  and(eq(messages.instance, instance), eq(messages.messageid, messageid))

/** Built once a store: it runs for every message and every receipt. */
const finders = new WeakMap<Store, ReturnType<typeof makeFinder>>()
const makeFinder = ({ read }: Store) =>
  read
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.instance, sql.placeholder('instance')),
        eq(messages.messageid, sql.placeholder('messageid')),
      ),
    )
    .prepare()

export async function findMessage(
  store: Store,
  instance: string,
  messageid: string,
): Promise<MessageRow | undefined> {
  const finder = finders.get(store) ?? makeFinder(store)
  finders.set(store, finder)
  const [row] = await finder.execute({ instance, messageid })
  return row
}

/** Newest first. */
export const unreadMessages = (
  store: Store,
  instance: string,
  chatids: string[],
  most: number,
): Promise<MessageRow[]> =>
  store.read
    .select()
    .from(messages)
    .where(and(eq(messages.instance, instance), inArray(messages.chatid, chatids), eq(messages.unread, true)))
    .orderBy(desc(messages.at))
    .limit(most)

export const addMessage = (store: Store, row: MessageRow): Statement =>
  store.read.insert(messages).values(row).onConflictDoNothing()

export const changeRecord = (store: Store, instance: string, record: MessageRecord): Statement =>
  store.read.update(messages).set({ record }).where(rowOf(instance, record.messageid))

export const markSeen = (store: Store, instance: string, messageids: string[]): Statement =>
  store.read
    .update(messages)
    .set({ unread: false })
    .where(and(eq(messages.instance, instance), inArray(messages.messageid, messageids)))
