// Finds chats with all their stored data, filtered and sorted as requested.

import { and, asc, count, desc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import type { ChatRecord } from '../../shared/contract/answers/chat.ts'
import { limits } from '../../shared/contract/version.ts'
import { chats, messages } from '../../shared/db/host-tables.ts'
import { chatSettings, contacts } from '../../shared/db/setting-tables.ts'
import { phoneOf } from '../../shared/jid.ts'
import type { ActionInput } from '../../shared/wire/actions.ts'
import type { Store } from './store.ts'

const newest = alias(messages, 'newest')

/** Characters of a chat's last message: as many as one that we send may have. */
const SHOWN = limits.textLength

const unreadCount = sql<number>`(select count(*) from messages as unread_here
  where unread_here.instance = ${chats.instance} and unread_here.chatid = ${chats.chatid} and unread_here.unread = 1)`
const contactName = sql<string>`coalesce(${contacts.name}, '')`
const name = sql<string>`coalesce(nullif(${contacts.name}, ''), ${chats.name})`
const archived = sql<number>`coalesce(${chatSettings.archived}, 0)`
const pinned = sql<number>`coalesce(${chatSettings.pinned}, 0)`

const fields = {
  ...{ chat: chats, unreadCount, contactName, name, archived, pinned },
  mutedUntil: chatSettings.mutedUntil,
  text: sql<string | null>`substr(json_extract(${newest.record}, '$.text'), 1, ${SHOWN})`,
}

const rowsOf = ({ db }: Store) =>
  db
    .select(fields)
    .from(chats)
    .leftJoin(
      chatSettings,
      and(eq(chatSettings.instance, chats.instance), eq(chatSettings.chatid, chats.chatid)),
    )
    .leftJoin(contacts, and(eq(contacts.instance, chats.instance), eq(contacts.jid, chats.chatid)))
    .leftJoin(newest, and(eq(newest.instance, chats.instance), eq(newest.messageid, chats.lastMessageid)))

export interface ChatView {
  owner: string
  /** Ids of blocked people, in all spellings. */
  blocked: string[]
}

type Wanted = ActionInput<'chat.find'>

export async function findChats(
  store: Store,
  instance: string,
  wanted: Wanted,
  view: ChatView,
): Promise<{ found: ChatRecord[]; total: number }> {
  const where = and(eq(chats.instance, instance), filterOf(wanted, view))
  const rows = await rowsOf(store)
    .where(where)
    .orderBy(...orderOf(wanted.sort))
    .limit(wanted.limit)
    .offset(wanted.offset)
  const [all] = await store.db
    .select({ n: count() })
    .from(chats)
    .leftJoin(
      chatSettings,
      and(eq(chatSettings.instance, chats.instance), eq(chatSettings.chatid, chats.chatid)),
    )
    .leftJoin(contacts, and(eq(contacts.instance, chats.instance), eq(contacts.jid, chats.chatid)))
    .where(where)
  return { found: rows.map((row) => recordOf(row, view)), total: all?.n ?? 0 }
}

/** Finds a chat by any of its spellings; the newest if there are several. */
export async function findChat(
  store: Store,
  instance: string,
  chatids: string[],
  view: ChatView,
): Promise<ChatRecord | undefined> {
  const [row] = await rowsOf(store)
    .where(and(eq(chats.instance, instance), inArray(chats.chatid, chatids)))
    .orderBy(desc(chats.lastAt))
    .limit(1)
  return row && recordOf(row, view)
}

function filterOf(wanted: Wanted, { blocked }: ChatView): SQL | undefined {
  const { wa_isGroup, wa_archived, wa_isPinned, wa_isBlocked, wa_name, wa_chatid } = wanted
  const isBlocked = sql`${inArray(chats.chatid, ['', ...blocked])}`
  const filters = [
    wa_isGroup === undefined ? undefined : eq(chats.isGroup, wa_isGroup),
    wa_archived === undefined ? undefined : sql`${archived} = ${Number(wa_archived)}`,
    wa_isPinned === undefined ? undefined : sql`${pinned} = ${Number(wa_isPinned)}`,
    wa_isBlocked === undefined ? undefined : wa_isBlocked ? isBlocked : sql`not ${isBlocked}`,
    like(name, wa_name),
    like(sql`${chats.chatid}`, wa_chatid),
    like(name, wanted.name),
  ].filter((filter) => filter !== undefined)
  const all = wanted.operator === 'OR' ? or(...filters) : and(...filters)
  return wanted.unread ? and(sql`${unreadCount} > 0`, all) : all
}

/** With a leading `~` it matches a part of the text, in upper or lower case. */
function like(column: SQL, wanted: string | undefined): SQL | undefined {
  if (wanted === undefined) return undefined
  if (!wanted.startsWith('~')) return sql`${column} = ${wanted}`
  return sql`instr(lower(${column}), lower(${wanted.slice(1)})) > 0`
}

const columns: Record<string, SQL> = {
  wa_lastMsgTimestamp: sql`${chats.lastAt}`,
  wa_unreadCount: unreadCount,
  wa_name: sql`${name} collate nocase`,
  name: sql`${name} collate nocase`,
}

function orderOf(sort: string): SQL[] {
  const descending = sort.startsWith('-')
  const column = columns[descending ? sort.slice(1) : sort] ?? sql`${chats.lastAt}`
  return descending ? [desc(column), desc(chats.chatid)] : [asc(column), asc(chats.chatid)]
}

type Row = Awaited<ReturnType<typeof rowsOf>>[number]

function recordOf(row: Row, { owner, blocked }: ChatView): ChatRecord {
  const { chatid: id, chatlid: lid, isGroup, lastAt, lastMessageid } = row.chat
  const phone = phoneOf(id)
  return {
    ...{ id, lid, name: row.chat.name, isGroup, unreadCount: row.unreadCount },
    ...{ lastMessageId: lastMessageid, lastMessageTimestamp: lastAt },
    ...{ wa_chatid: id, wa_chatlid: lid, wa_fastid: `${owner}:${id}`, wa_isGroup: isGroup },
    ...{ wa_name: row.name, wa_contactName: row.contactName, wa_unreadCount: row.unreadCount },
    ...{ wa_lastMsgTimestamp: lastAt, wa_lastMessageTextVote: row.text ?? '' },
    ...{ wa_archived: row.archived === 1, wa_isPinned: row.pinned === 1 },
    ...{ wa_muteEndTime: row.mutedUntil ?? 0, wa_isBlocked: blocked.includes(id) },
    ...{ phone: phone && `+${phone}`, image: '' },
  }
}
