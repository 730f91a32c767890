// Messages of the history: stored unless a message of that name is there already, and never in place of it.

import { sql } from 'drizzle-orm'
import type { MessageRecord } from '../../shared/contract/message-requests.ts'
import { messages } from '../../shared/db/host-tables.ts'
import { prepareQuery, type Statement } from '../../shared/db/prepared-queries.ts'
import { type Store, statement } from './host-store.ts'
import type { MessageRow } from './message-store.ts'

const value = sql.placeholder
const ADD = prepareQuery((db) =>
  db
    .insert(messages)
    .values({
      instance: value('instance'),
      messageid: value('messageid'),
      chatid: value('chatid'),
      at: value('at'),
      fromMe: value('fromMe'),
      unread: value('unread'),
      record: value('record'),
      encoded: value('encoded'),
      storedAt: value('storedAt'),
    })
    .onConflictDoNothing(),
)

const FIND_NAMES = `SELECT messageid FROM messages
  WHERE instance = ? AND messageid IN (SELECT value FROM json_each(?))`

/** Of a chat that is there, only what is missing changes, and what an older message cannot know better. */
const ADD_CHAT = `INSERT INTO chats (instance, chatid, chatlid, name, is_group, last_at, last_messageid)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
  ON CONFLICT DO UPDATE SET
  chatlid = CASE WHEN chatlid = '' THEN excluded.chatlid ELSE chatlid END,
  name = CASE WHEN name = '' THEN excluded.name ELSE name END,
  last_messageid = CASE WHEN excluded.last_at > last_at THEN excluded.last_messageid ELSE last_messageid END,
  last_at = max(last_at, excluded.last_at)`

export const addPastMessage = (row: MessageRow): Statement => ADD.bind(row)

/** `message`: the newest of those that are stored now. */
export function addPastChat(instance: string, message: MessageRecord, name: string): Statement {
  const { chatid, chatlid, isGroup, messageTimestamp, messageid } = message
  return statement(ADD_CHAT, instance, chatid, chatlid, name, isGroup ? 1 : 0, messageTimestamp, messageid)
}

/** Those of `names` that messages have already. */
export async function findTakenNames(store: Store, instance: string, names: string[]): Promise<Set<string>> {
  const found = await store.rows(FIND_NAMES, instance, JSON.stringify(names))
  return new Set(found.map(({ messageid }) => String(messageid)))
}
