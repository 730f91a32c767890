// The stored messages of an instance: found by id, listed in pages, or listed as unread.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { HAS_TRACK, IS_UNREAD, messages } from '@msgnet/shared/db/host-tables.ts'
import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { STATUS_JID } from '@msgnet/shared/jid.ts'
import { and, asc, desc, eq, gte, inArray, type SQL, sql } from 'drizzle-orm'
import type { MessagePlace } from '../driver/driver.ts'
import type { StoreReader } from './heavy-reads.ts'
import { type Store, statement } from './host-store.ts'
import { type ChatChoice, matchChoice } from './match-choice.ts'
import { countPageRows, readByteLength } from './page-bytes.ts'

export type MessageRow = typeof messages.$inferSelect

// Built once: they run for every message and every receipt.
const value = sql.placeholder
const preparedRow = and(eq(messages.instance, value('instance')), eq(messages.messageid, value('messageid')))
const FIND = prepareQuery((db) => db.select().from(messages).where(preparedRow))
const ADD = prepareQuery((db) =>
  db
    .insert(messages)
    .values({
      instance: value('instance'),
      messageid: value('messageid'),
      chatid: value('chatid'),
      at: value('at'),
      fromMe: value('fromMe'),
      change: value('change'),
      unread: value('unread'),
      trackId: value('trackId'),
      record: value('record'),
      encoded: value('encoded'),
      requestId: value('requestId'),
      traceparent: value('traceparent'),
      expiresAt: value('expiresAt'),
    })
    .onConflictDoNothing(),
)
const CHANGE_RECORD = prepareQuery((db) =>
  db
    .update(messages)
    .set({ record: value('record') as never })
    .where(preparedRow),
)

const RENAME = 'UPDATE OR REPLACE messages SET messageid = ? WHERE instance = ? AND messageid = ?'

const matchMessage = (instance: string, messageid: string) =>
  and(eq(messages.instance, instance), eq(messages.messageid, messageid))

export async function findMessage(
  store: Store,
  instance: string,
  messageid: string,
): Promise<MessageRow | undefined> {
  const [row] = await store.read(FIND, { instance, messageid })
  return row
}

/** The encoded form of a message, if it is in this chat and by this author; both in any form. */
export async function findEncoded(
  store: Store,
  instance: string,
  messageid: string,
  { chats, author, fromMe, since = 0 }: MessagePlace,
): Promise<MessageRow['encoded'] | undefined> {
  const row = await findMessage(store, instance, messageid)
  if (!row || row.at < since) return
  const { chatid, chatlid, sender, sender_pn, sender_lid } = row.record
  const isHere =
    [chatid, chatlid].some((chat) => chat !== '' && chats.includes(chat)) && row.fromMe === fromMe
  const isSame = isHere && ['', sender, sender_pn, sender_lid].includes(author)
  return isSame ? row.encoded : undefined
}

export interface MessageFilter {
  /** One chat, under any of its forms. */
  chatids?: string[]
  /** Only of these chats. */
  choice?: ChatChoice
  trackId?: string
  trackSource?: string
  fromMe?: boolean
  /** In upper or lower case. */
  messageType?: string
  oldestFirst?: boolean
  /** The place in the order after which the page begins. */
  after?: OrderPlace
}

/** Where a message stands in the order of time; `stored`: in that of storing. */
export interface OrderPlace {
  at: number
  stored: number
}

/** So many entries of an index are passed over in a fraction of a millisecond. */
const MAX_QUICK_OFFSET = 1000

/** Whether an index leads to the first rows of the page: the others look at messages that they do not list. */
export const isQuickList = (
  { trackSource, messageType, fromMe, choice }: MessageFilter,
  { offset }: { offset: number },
): boolean =>
  offset <= MAX_QUICK_OFFSET && [trackSource, messageType, fromMe, choice].every((one) => one === undefined)

/** Track sources and types have no index, so they are searched among this many messages at the end of the order. */
const MAX_SEARCHED = 10_000

/** Reactions among them are passed over. */
const MAX_OWN = 10

/** The order in which messages were stored: the network gives times in seconds, and several messages may have the same. */
const stored = sql<number>`${messages}.rowid`

/**
 * Newest first, unless the filter says otherwise; of all chats if `chatids` is absent. Fewer than `limit` where their records are large: then the last of them
 * is more than a page holds.
 */
export async function listMessages(
  { db }: StoreReader,
  instance: string,
  filter: MessageFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<MessageRecord[]> {
  const filters: SQL[] = [eq(messages.instance, instance), eq(messages.change, false)]
  if (filter.chatids) filters.push(inArray(messages.chatid, filter.chatids))
  else filters.push(IS_OUTSIDE_STATUS)
  if (filter.choice) filters.push(matchChoice(filter.choice, messages.chatid))
  if (filter.trackId) filters.push(eq(messages.trackId, filter.trackId), HAS_TRACK)
  if (filter.after) filters.push(matchAfter(filter.after, filter.oldestFirst === true))
  const { trackSource, messageType } = filter
  // Only own messages have one: those of strangers, which may be large, are not searched for it.
  const fromMe = trackSource ? true : filter.fromMe
  if (trackSource && filter.fromMe === false) return []
  if (fromMe !== undefined) filters.push(eq(messages.fromMe, fromMe))
  const unindexed: SQL[] = []
  if (trackSource) unindexed.push(matchField('track_source', trackSource))
  if (messageType) unindexed.push(matchField('messageType', messageType, (text) => sql`lower(${text})`))
  const order = filter.oldestFirst ? asc : desc
  const newest = db
    .select({
      stored: stored.as('stored'),
      at: messages.at,
      size: readByteLength(messages.record).as('size'),
    })
    .from(messages)
    .where(and(...filters))
    .orderBy(order(messages.at), order(stored))
  const some = newest.limit(MAX_SEARCHED).as('some')
  const found =
    unindexed.length === 0
      ? await newest.limit(limit).offset(offset)
      : await db
          .select({ stored: some.stored, size: some.size })
          .from(some)
          .innerJoin(messages, sql`${stored} = ${some.stored}`)
          .where(and(...unindexed))
          .orderBy(order(some.at), order(some.stored))
          .limit(limit)
          .offset(offset)
  const rows = found.slice(0, countPageRows(found)).map((row) => row.stored)
  const listed = await db
    .select({ record: messages.record })
    .from(messages)
    .where(inArray(stored, rows))
    .orderBy(order(messages.at), order(stored))
  return listed.map(({ record }) => record)
}

const matchAfter = ({ at, stored: row }: OrderPlace, isLater: boolean): SQL =>
  isLater
    ? sql`(${messages.at}, ${stored}) > (${at}, ${row})`
    : sql`(${messages.at}, ${stored}) < (${at}, ${row})`

export async function findOrderPlace(
  { db }: StoreReader,
  instance: string,
  messageid: string,
): Promise<OrderPlace | undefined> {
  const [place] = await db
    .select({ at: messages.at, stored })
    .from(messages)
    .where(matchMessage(instance, messageid))
  return place
}

/** Parsing is dear, and most records do not have the value in any of their fields. `fold`: upper and lower case count as the same. */
const matchField = (field: string, value: string, fold = (text: SQL) => text): SQL =>
  sql`(instr(${fold(sql`${messages.record}`)}, ${fold(sql`${JSON.stringify(value)}`)}) > 0
    and ${fold(sql`json_extract(${messages.record}, ${`$.${field}`})`)} = ${fold(sql`${value}`)})`

/** Status posts of others are listed for who names their chat. */
const IS_OUTSIDE_STATUS = sql`(${messages.chatid} <> ${STATUS_JID} or ${messages.fromMe})`

/** Of one chat, under any of its forms. */
export async function findOldestMessage(
  { db }: Store,
  instance: string,
  chatids: string[],
): Promise<MessageRow | undefined> {
  const [row] = await db
    .select()
    .from(messages)
    .where(
      and(eq(messages.instance, instance), inArray(messages.chatid, chatids), eq(messages.change, false)),
    )
    .orderBy(messages.at, stored)
    .limit(1)
  return row
}

/** The deletion of this message, by any author; undefined when it is no longer stored. */
export async function findDeletion(store: Store, row: MessageRow): Promise<MessageRecord | undefined> {
  const { instance, messageid, record } = row
  const [deletion] = await store.db
    .select({ record: messages.record })
    .from(messages)
    .where(
      and(
        eq(messages.instance, instance),
        inArray(messages.chatid, [record.chatid, record.chatlid]),
        eq(messages.change, true),
        sql`json_extract(${messages.record}, '$.type') = 'delete'`,
        sql`json_extract(${messages.record}, '$.content.target') = ${messageid}`,
        sql`json_extract(${messages.record}, '$.status') not in ('Pending', 'Failed')`,
      ),
    )
    .orderBy(messages.at)
    .limit(1)
  return deletion?.record
}

/** What we have written in this chat since then, newest first: the newest few. */
export async function listOwnSince(
  store: Store,
  instance: string,
  chatids: string[],
  since: number,
): Promise<MessageRecord[]> {
  const rows = await store.db
    .select({ record: messages.record })
    .from(messages)
    .where(
      and(
        eq(messages.instance, instance),
        inArray(messages.chatid, chatids),
        gte(messages.at, since),
        eq(messages.fromMe, true),
        eq(messages.change, false),
      ),
    )
    .orderBy(desc(messages.at), desc(stored))
    .limit(MAX_OWN)
  return rows.map(({ record }) => record)
}

export interface UnreadMessage {
  messageid: string
  chatid: string
  sender: string
  isGroup: boolean
}

/** Newest first. */
export async function listUnreadMessages(
  store: Store,
  instance: string,
  chatids: string[],
  max: number,
): Promise<UnreadMessage[]> {
  const sender = sql<string>`json_extract(${messages.record}, '$.sender')`
  const isGroup = sql<number>`json_extract(${messages.record}, '$.isGroup')`
  const rows = await store.db
    .select({ messageid: messages.messageid, chatid: messages.chatid, sender, isGroup })
    .from(messages)
    .where(and(eq(messages.instance, instance), inArray(messages.chatid, chatids), IS_UNREAD))
    .orderBy(desc(messages.at), desc(stored))
    .limit(max)
  return rows.map((row) => ({ ...row, isGroup: row.isGroup === 1 }))
}

export const addMessage = (row: MessageRow): Statement => ADD.bind(row)

export const changeRecord = (instance: string, record: MessageRecord): Statement =>
  CHANGE_RECORD.bind({ instance, messageid: record.messageid, record })

/** Replaces the content and the chat; `encoded` is null when nothing of it is stored. */
export const changeContent = (
  store: Store,
  { instance, chatid, record, encoded, unread }: MessageRow,
): Statement =>
  store.db
    .update(messages)
    .set({ chatid, record, encoded, unread })
    .where(matchMessage(instance, record.messageid))

/** Gives a message another name, so that its old name is free. */
export const renameMessage = (instance: string, from: string, to: string): Statement =>
  statement(RENAME, to, instance, from)

/** When it disappears; null if it stays. */
export const changeExpiry = (store: Store, { instance, messageid, expiresAt }: MessageRow): Statement =>
  store.db.update(messages).set({ expiresAt }).where(matchMessage(instance, messageid))

export const markSeen = (store: Store, instance: string, messageids: string[]): Statement =>
  store.db
    .update(messages)
    .set({ unread: false })
    .where(and(eq(messages.instance, instance), inArray(messages.messageid, messageids)))
