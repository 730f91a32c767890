// Messages of the history: stored unless a message of that name is there already, and never in place of it.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { type Store, statement } from './host-store.ts'
import type { MessageRow } from './message-store.ts'

const ADD = `INSERT INTO messages
  (instance, messageid, chatid, at, from_me, change, unread, record, encoded, stored_at, expires_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO NOTHING`

const FIND_NAMES = `SELECT messageid FROM messages
  WHERE instance = ? AND messageid IN (SELECT value FROM json_each(?))`

/** Of a chat that is there, only what is missing changes, and what an older message cannot know better. */
const ADD_CHAT = `INSERT INTO chats (instance, chatid, chatlid, name, is_group, last_at, last_messageid)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
  ON CONFLICT DO UPDATE SET
  chatlid = CASE WHEN chatlid = '' THEN excluded.chatlid ELSE chatlid END,
  name = CASE WHEN name = '' THEN excluded.name ELSE name END,
  last_messageid = CASE WHEN last_messageid = '' OR excluded.last_at > last_at
    THEN excluded.last_messageid ELSE last_messageid END,
  last_at = CASE WHEN last_messageid = '' THEN excluded.last_at ELSE max(last_at, excluded.last_at) END`

/** `json`: its record. */
export const addPastMessage = (
  { instance, messageid, chatid, at, fromMe, change, unread, encoded, storedAt, expiresAt }: MessageRow,
  json: string,
): Statement => {
  const flags = [fromMe, change, unread].map(Number)
  return statement(ADD, instance, messageid, chatid, at, ...flags, json, encoded, storedAt, expiresAt)
}

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
