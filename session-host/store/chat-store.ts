// The chats of an instance, updated by their newest messages; of a group that is new before its first one.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { chats, messages } from '@msgnet/shared/db/host-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, eq, inArray } from 'drizzle-orm'
import { deleteInTurns } from './delete-in-turns.ts'
import { type Store, statement } from './host-store.ts'
import { endMediaOfChats } from './media-rows.ts'

/**
 * Messages may arrive out of order, and an own message does not have the other person's name. The network gives times in
 * seconds, we in milliseconds: within one second the message that was stored last counts as the newest.
 */
const UPDATE = `INSERT INTO chats (instance, chatid, chatlid, name, is_group, last_at, last_messageid)
  VALUES (?1, ?2, ?3, CASE WHEN ?4 <> '' THEN ?4 ELSE coalesce(
    (SELECT name FROM known_names WHERE instance = ?1 AND id IN (?2, nullif(?3, ''))), '') END, ?5, ?6, ?7)
  ON CONFLICT DO UPDATE SET
  chatlid = CASE WHEN excluded.chatlid = '' THEN chatlid ELSE excluded.chatlid END,
  name = CASE WHEN ?4 = '' THEN name ELSE ?4 END,
  last_messageid = CASE WHEN last_messageid = '' OR excluded.last_at / 1000 >= last_at / 1000
    THEN excluded.last_messageid ELSE last_messageid END,
  last_at = CASE WHEN last_messageid = '' THEN excluded.last_at ELSE max(last_at, excluded.last_at) END`

/**
 * Of groups, before they are stored themselves: one that is stored already was a chat from the beginning, and is none any more where
 * somebody has deleted it.
 */
const ADD_GROUPS = `INSERT INTO chats (instance, chatid, name, is_group, last_at, last_messageid)
  SELECT ?1, value ->> 'jid', value ->> 'subject', 1, value ->> 'at', '' FROM json_each(?2)
  WHERE EXISTS (SELECT 1 FROM chats WHERE instance = ?1 AND chatid = value ->> 'jid')
    OR NOT EXISTS (SELECT 1 FROM groups WHERE instance = ?1 AND jid = value ->> 'jid')
  ON CONFLICT DO UPDATE SET name = excluded.name WHERE name <> excluded.name`

/** `at`: the time of a chat without messages. */
export const addGroupChats = (
  instance: string,
  found: { jid: string; subject: string; at: number }[],
): Statement => statement(ADD_GROUPS, instance, JSON.stringify(found))

export function updateChat(instance: string, message: MessageRecord): Statement {
  const { chatid, chatlid, isGroup, groupName, senderName, fromMe, messageTimestamp, messageid } = message
  const name = isGroup ? groupName : fromMe ? '' : senderName
  return statement(UPDATE, instance, chatid, chatlid, name, isGroup ? 1 : 0, messageTimestamp, messageid)
}

/** Deletes the chat only; its messages stay, and the next message creates it again. */
export const deleteChat = ({ db }: Store, instance: string, chatids: string[]): Statement[] => [
  db.delete(chats).where(and(eq(chats.instance, instance), inArray(chats.chatid, chatids))),
]

/** With their stored files: all but the last ones here, and those by the statements that are returned. */
export async function deleteMessages(
  store: Pick<Store, 'db' | 'rows' | 'commitFor'>,
  instance: string,
  chatids: string[],
): Promise<Statement[]> {
  const prepare = async () => [endMediaOfChats(instance, chatids)]
  await deleteInTurns(store, instance, 'messages', { prepare, chatids })
  return [
    endMediaOfChats(instance, chatids),
    store.db.delete(messages).where(and(eq(messages.instance, instance), inArray(messages.chatid, chatids))),
  ]
}

/** Under any of its forms. */
export async function hasChat({ db }: Store, instance: string, chatids: string[]): Promise<boolean> {
  const where = and(eq(chats.instance, instance), inArray(chats.chatid, chatids))
  return (await db.select({ id: chats.chatid }).from(chats).where(where).limit(1)).length > 0
}
