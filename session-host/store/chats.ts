// Chats of an instance, as their newest messages leave them.

import { and, desc, eq, exists, inArray, sql } from 'drizzle-orm'
import type { ChatRecord } from '../../shared/contract/answers/chat.ts'
import type { MessageRecord } from '../../shared/contract/message.ts'
import { chats, messages } from '../../shared/db/host-tables.ts'
import type { Statement } from '../../shared/db/statements.ts'
import { type Store, statement } from './store.ts'

/** Messages may come out of order, and an own one does not tell the other's name. */
const TOUCH = `INSERT INTO chats (instance, chatid, chatlid, name, is_group, last_at, last_messageid)
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
  chatlid = CASE WHEN excluded.chatlid = '' THEN chatlid ELSE excluded.chatlid END,
  name = CASE WHEN excluded.name = '' THEN name ELSE excluded.name END,
  last_messageid = CASE WHEN excluded.last_at >= last_at THEN excluded.last_messageid ELSE last_messageid END,
  last_at = max(last_at, excluded.last_at)`

export function touchChat(instance: string, message: MessageRecord): Statement {
  const { chatid, chatlid, isGroup, groupName, senderName, fromMe, messageTimestamp, messageid } = message
  const name = isGroup ? groupName : fromMe ? '' : senderName
  return statement(TOUCH, instance, chatid, chatlid, name, isGroup ? 1 : 0, messageTimestamp, messageid)
}

/** Newest first. */
export async function listChats(
  store: Store,
  instance: string,
  { limit, offset, unread }: { limit: number; offset: number; unread: boolean },
): Promise<ChatRecord[]> {
  const { db } = store
  const unreadHere = and(
    eq(messages.instance, chats.instance),
    eq(messages.chatid, chats.chatid),
    eq(messages.unread, true),
  )
  const rows = await db
    .select({
      chat: chats,
      unreadCount: sql<number>`(${db.select({ n: sql`count(*)` }).from(messages).where(unreadHere)})`,
    })
    .from(chats)
    .where(
      and(
        eq(chats.instance, instance),
        unread ? exists(db.select({ one: sql`1` }).from(messages).where(unreadHere)) : undefined,
      ),
    )
    .orderBy(desc(chats.lastAt), desc(chats.chatid))
    .limit(limit)
    .offset(offset)
  return rows.map(recordOf)
}

const recordOf = ({
  chat,
  unreadCount,
}: {
  chat: typeof chats.$inferSelect
  unreadCount: number
}): ChatRecord => ({
  id: chat.chatid,
  lid: chat.chatlid,
  name: chat.name,
  isGroup: chat.isGroup,
  unreadCount,
  lastMessageId: chat.lastMessageid,
  lastMessageTimestamp: chat.lastAt,
})

/** Under any of its spellings; the newest where it has several. */
export async function findChat(
  { db }: Store,
  instance: string,
  chatids: string[],
): Promise<ChatRecord | undefined> {
  const [chat] = await db
    .select()
    .from(chats)
    .where(and(eq(chats.instance, instance), inArray(chats.chatid, chatids)))
    .orderBy(desc(chats.lastAt))
    .limit(1)
  if (!chat) return undefined
  const [row] = await db
    .select({ n: sql<number>`count(*)` })
    .from(messages)
    .where(and(eq(messages.instance, instance), inArray(messages.chatid, chatids), eq(messages.unread, true)))
  return recordOf({ chat, unreadCount: row?.n ?? 0 })
}

/** The chat itself; its messages stay, and the next one brings it back. */
export const forgetChat = ({ db }: Store, instance: string, chatids: string[]): Statement =>
  db.delete(chats).where(and(eq(chats.instance, instance), inArray(chats.chatid, chatids)))

export const forgetMessages = ({ db }: Store, instance: string, chatids: string[]): Statement =>
  db.delete(messages).where(and(eq(messages.instance, instance), inArray(messages.chatid, chatids)))
