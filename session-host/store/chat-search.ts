// Finds chats with all their stored data, filtered and sorted as requested.

import { and, asc, count, desc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { limits } from '../../shared/contract/limits.ts'
import { type ChatRecord, emptyLastMessage } from '../../shared/contract/responses/chat-responses.ts'
import { chats, groups, messages } from '../../shared/db/host-tables.ts'
import { chatLabels, chatSettings, contacts, labels } from '../../shared/db/setting-tables.ts'
import { extractPhone, PERSON_SUFFIX } from '../../shared/jid.ts'
import { createMatcher } from '../../shared/search-text.ts'
import type { ActionInput } from '../../shared/wire/session-actions.ts'
import type { Store } from './host-store.ts'
import { selectUsername } from './username-store.ts'

const newest = alias(messages, 'newest')

/** Characters of a chat's last message: as many as one that we send may have. */
const MAX_TEXT = limits.maxTextLength

const unreadCount = sql<number>`(select count(*) from messages as unread_here
  where unread_here.instance = ${chats.instance} and unread_here.chatid = ${chats.chatid} and unread_here.unread = 1)`
const contactName = sql<string>`coalesce(${contacts.name}, '')`
const name = sql<string>`coalesce(nullif(${contacts.name}, ''), ${chats.name})`
const archived = sql<number>`coalesce(${chatSettings.archived}, 0)`
const pinned = sql<number>`coalesce(${chatSettings.pinned}, 0)`

const username = selectUsername(chats.instance, chats.chatid, chats.chatlid)

const fields = {
  chat: chats,
  unreadCount,
  contactName,
  name,
  archived,
  pinned,
  mutedUntil: chatSettings.mutedUntil,
  username,
  /** A list of its fields as JSON; null when it is no longer stored. */
  lastMessage: sql<
    string | null
  >`json_extract(${newest.record}, '$.type', '$.mediaType', '$.fromMe', '$.sender', '$.senderName', '$.status', '$.messageType')`,
  text: sql<string | null>`substr(json_extract(${newest.record}, '$.text'), 1, ${MAX_TEXT})`,
  labels: sql<string>`(select json_group_array(labelid) from (select ${chatLabels.labelid} as labelid from ${chatLabels}
    where ${chatLabels.instance} = ${chats.instance} and ${chatLabels.chatid} = ${chats.chatid} order by 1))`,
}

const selectRows = ({ db }: Store) =>
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
  /** Ids of the account. */
  own: string[]
  /** Ids of blocked people, in all forms. */
  blocked: string[]
}

type ChatFilter = ActionInput<'chat.find'>

/** A field of the last message; empty when it is no longer stored. */
const selectOfLast = (
  field: string,
) => sql`coalesce((select json_extract(last.record, ${`$.${field}`}) from messages as last
  where last.instance = ${chats.instance} and last.messageid = ${chats.lastMessageid}), '')`

/** The group that the chat is, as last reported. */
const matchGroup = (what: SQL) => sql`exists (select 1 from ${groups}
  where ${groups.instance} = ${chats.instance} and ${groups.jid} = ${chats.chatid} and ${what})`
const isAnnounceGroup = sql`json_extract(${groups.group}, '$.announce')`
const isAdministered = (
  owners: string[],
) => sql`exists (select 1 from json_each(${groups.group}, '$.members') as member
  where json_extract(member.value, '$.role') <> 'member'
  and (${inArray(sql`json_extract(member.value, '$.pn')`, owners)} or ${inArray(sql`json_extract(member.value, '$.lid')`, owners)}))`

export async function findChats(
  store: Store,
  instance: string,
  filter: ChatFilter,
  view: ChatView,
): Promise<{ found: ChatRecord[]; total: number }> {
  const where = and(eq(chats.instance, instance), buildFilter(filter, view))
  if (filter.search) return searchChats(store, instance, filter, view)
  const rows = await selectRows(store)
    .where(where)
    .orderBy(...buildOrder(filter.sort))
    .limit(filter.limit)
    .offset(filter.offset)
  const [all] = await store.db
    .select({ n: count() })
    .from(chats)
    .leftJoin(
      chatSettings,
      and(eq(chatSettings.instance, chats.instance), eq(chatSettings.chatid, chats.chatid)),
    )
    .leftJoin(contacts, and(eq(contacts.instance, chats.instance), eq(contacts.jid, chats.chatid)))
    .where(where)
  return { found: rows.map((row) => toChatRecord(row, view)), total: all?.n ?? 0 }
}

/** Names are folded and numbers spelled here, because the database cannot; only the page is read with its messages. */
async function searchChats(
  store: Store,
  instance: string,
  filter: ChatFilter,
  view: ChatView,
): Promise<{ found: ChatRecord[]; total: number }> {
  const { search, sort, limit, offset } = filter
  const rows = await store.db
    .select({ chatid: chats.chatid, name: chats.name, contactName, username })
    .from(chats)
    .leftJoin(
      chatSettings,
      and(eq(chatSettings.instance, chats.instance), eq(chatSettings.chatid, chats.chatid)),
    )
    .leftJoin(contacts, and(eq(contacts.instance, chats.instance), eq(contacts.jid, chats.chatid)))
    .where(and(eq(chats.instance, instance), buildFilter(filter, view)))
    .orderBy(...buildOrder(sort))
  const isMatch = createMatcher(search)
  const matching = rows.filter(({ chatid, name, contactName, username }) =>
    isMatch(`${name} ${contactName} ${username === null ? '' : `@${username}`}`, extractPhone(chatid)),
  )
  const page = matching.slice(offset, offset + limit).map(({ chatid }) => chatid)
  const found = await selectRows(store)
    .where(and(eq(chats.instance, instance), inArray(chats.chatid, page)))
    .orderBy(...buildOrder(sort))
  return { found: found.map((row) => toChatRecord(row, view)), total: matching.length }
}

/** Finds a chat by any of its forms; the newest if there are several. */
export async function findChat(
  store: Store,
  instance: string,
  chatids: string[],
  view: ChatView,
): Promise<ChatRecord | undefined> {
  const [row] = await selectRows(store)
    .where(and(eq(chats.instance, instance), inArray(chats.chatid, chatids)))
    .orderBy(desc(chats.lastAt))
    .limit(1)
  return row && toChatRecord(row, view)
}

function buildFilter(filter: ChatFilter, view: ChatView): SQL | undefined {
  const { wa_muteEndTime, wa_lastMsgTimestamp, phone } = filter
  const filters = [
    matchFlag(sql`${chats.isGroup}`, filter.wa_isGroup),
    matchFlag(archived, filter.wa_archived),
    matchFlag(pinned, filter.wa_isPinned),
    matchFlag(inArray(chats.chatid, ['', ...view.blocked]), filter.wa_isBlocked),
    matchFlag(matchGroup(sql`true`), filter.wa_isGroup_member),
    matchFlag(matchGroup(isAnnounceGroup), filter.wa_isGroup_announce),
    matchFlag(matchGroup(isAdministered(view.own)), filter.wa_isGroup_admin),
    matchText(name, filter.wa_name),
    matchText(name, filter.name),
    matchText(contactName, filter.wa_contactName),
    matchText(sql`${chats.chatid}`, filter.wa_chatid),
    matchText(sql`${chats.chatlid}`, filter.wa_chatlid),
    matchText(sql`${`${view.owner}:`} || ${chats.chatid}`, filter.wa_fastid),
    matchText(selectOfLast('text'), filter.wa_lastMessageTextVote),
    matchText(selectOfLast('messageType'), filter.wa_lastMessageType),
    matchText(selectOfLast('sender'), filter.wa_lastMessageSender),
    matchLabel(filter.wa_label),
    matchText(PHONE, phone),
    filter.wa_unreadCount === undefined ? undefined : sql`${unreadCount} = ${filter.wa_unreadCount}`,
    wa_muteEndTime === undefined
      ? undefined
      : sql`coalesce(${chatSettings.mutedUntil}, 0) = ${wa_muteEndTime}`,
    wa_lastMsgTimestamp === undefined ? undefined : eq(chats.lastAt, wa_lastMsgTimestamp),
  ].filter((filter) => filter !== undefined)
  const all = filter.operator === 'OR' ? or(...filters) : and(...filters)
  return filter.unread ? and(sql`${unreadCount} > 0`, all) : all
}

const matchFlag = (condition: SQL, wanted: boolean | undefined): SQL | undefined =>
  wanted === undefined ? undefined : wanted ? sql`(${condition})` : sql`not (${condition})`

/** As in the record: `+` and digits, empty where it is not known. */
const PHONE = sql`iif(${chats.chatid} like ${`%${PERSON_SUFFIX}`}, '+' || replace(${chats.chatid}, ${PERSON_SUFFIX}, ''), '')`

/** By its id or its name. */
function matchLabel(label: string | undefined): SQL | undefined {
  const isMatch = or(matchText(sql`${chatLabels.labelid}`, label), matchText(sql`${labels.name}`, label))
  return (
    isMatch &&
    sql`exists (select 1 from ${chatLabels}
      left join ${labels} on ${labels.instance} = ${chatLabels.instance} and ${labels.labelid} = ${chatLabels.labelid}
      where ${chatLabels.instance} = ${chats.instance} and ${chatLabels.chatid} = ${chats.chatid} and ${isMatch})`
  )
}

/** With a leading `~` it matches a part of the text, in upper or lower case. */
function matchText(column: SQL, text: string | undefined): SQL | undefined {
  if (text === undefined) return undefined
  if (!text.startsWith('~')) return sql`${column} = ${text}`
  return sql`instr(lower(${column}), lower(${text.slice(1)})) > 0`
}

const columns: Record<string, SQL> = {
  wa_lastMsgTimestamp: sql`${chats.lastAt}`,
  wa_unreadCount: unreadCount,
  wa_name: sql`${name} collate nocase`,
  name: sql`${name} collate nocase`,
}

function buildOrder(sort: string): SQL[] {
  const descending = sort.startsWith('-')
  const column = columns[descending ? sort.slice(1) : sort] ?? sql`${chats.lastAt}`
  return descending ? [desc(column), desc(chats.chatid)] : [asc(column), asc(chats.chatid)]
}

type Row = Awaited<ReturnType<typeof selectRows>>[number]

function toChatRecord(row: Row, { owner, blocked }: ChatView): ChatRecord {
  const { chatid: id, chatlid: lid, isGroup, lastAt, lastMessageid } = row.chat
  const phone = extractPhone(id)
  return {
    id,
    lid,
    name: row.chat.name,
    isGroup,
    unreadCount: row.unreadCount,
    lastMessageId: lastMessageid,
    lastMessageTimestamp: lastAt,
    wa_chatid: id,
    wa_chatlid: lid,
    wa_fastid: `${owner}:${id}`,
    wa_isGroup: isGroup,
    wa_name: row.name,
    wa_contactName: row.contactName,
    wa_unreadCount: row.unreadCount,
    wa_lastMsgTimestamp: lastAt,
    wa_lastMessageTextVote: row.text ?? '',
    ...describeLast(row.lastMessage),
    wa_label: JSON.parse(row.labels),
    wa_archived: row.archived === 1,
    wa_isPinned: row.pinned === 1,
    wa_muteEndTime: row.mutedUntil ?? 0,
    wa_isBlocked: blocked.includes(id),
    phone: phone && `+${phone}`,
    image: '',
    ...(row.username !== null && { username: row.username }),
  }
}

type LastFields = Pick<ChatRecord, 'lastMessage' | 'wa_lastMessageType' | 'wa_lastMessageSender'>

function describeLast(fields: string | null): LastFields {
  if (fields === null)
    return { lastMessage: emptyLastMessage, wa_lastMessageType: '', wa_lastMessageSender: '' }
  const [type, mediaType, fromMe, sender, senderName, status, messageType] = JSON.parse(fields)
  return {
    lastMessage: { type, mediaType, fromMe, sender, senderName, status },
    wa_lastMessageType: messageType,
    wa_lastMessageSender: sender,
  }
}
