// Chats of an instance, as their newest messages leave them.

import { and, desc, eq, exists, sql } from 'drizzle-orm'
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
  return rows.map(({ chat, unreadCount }) => ({
    id: chat.chatid,
    lid: chat.chatlid,
    name: chat.name,
    isGroup: chat.isGroup,
    unreadCount,
    lastMessageId: chat.lastMessageid,
    lastMessageTimestamp: chat.lastAt,
  }))
}
