// Finds chats with all their stored data, filtered and sorted as requested.

import { limits } from '@msgnet/shared/contract/limits.ts'
import { type ChatRecord, emptyLastMessage } from '@msgnet/shared/contract/responses/chat-responses.ts'
import { chats, groups, messages } from '@msgnet/shared/db/host-tables.ts'
import { chatLabels, chatSettings, contacts, labels } from '@msgnet/shared/db/setting-tables.ts'
import { extractPhone, PERSON_SUFFIX } from '@msgnet/shared/jid.ts'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import { and, desc, eq, inArray, or, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { matchContactPart, matchNamePart, matchSearch } from './folded-names.ts'
import type { StoreReader } from './heavy-reads.ts'
import { type ChatChoice, matchChoice } from './match-choice.ts'
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
  timer: sql<number>`iif(${chats.isGroup}, coalesce((select json_extract(${groups.group}, '$.ephemeral') from ${groups}
    where ${groups.instance} = ${chats.instance} and ${groups.jid} = ${chats.chatid}), 0), coalesce(${chatSettings.timer}, 0))`,
  username,
  /** A list of its fields as JSON; null when it is no longer stored. */
  lastMessage: sql<
    string | null
  >`json_extract(${newest.record}, '$.type', '$.mediaType', '$.fromMe', '$.sender', '$.senderName', '$.status', '$.messageType')`,
  text: sql<string | null>`substr(json_extract(${newest.record}, '$.text'), 1, ${MAX_TEXT})`,
  labels: sql<string>`(select json_group_array(labelid) from (select ${chatLabels.labelid} as labelid from ${chatLabels}
    where ${chatLabels.instance} = ${chats.instance} and ${chatLabels.chatid} = ${chats.chatid} order by 1))`,
}

const matchSettings = and(eq(chatSettings.instance, chats.instance), eq(chatSettings.chatid, chats.chatid))
const matchContact = and(eq(contacts.instance, chats.instance), eq(contacts.jid, chats.chatid))
const matchNewest = and(eq(newest.instance, chats.instance), eq(newest.messageid, chats.lastMessageid))

const selectRows = ({ db }: StoreReader) =>
  db
    .select(fields)
    .from(chats)
    .leftJoin(chatSettings, matchSettings)
    .leftJoin(contacts, matchContact)
    .leftJoin(newest, matchNewest)

export interface ChatView {
  owner: string
  /** Ids of the account. */
  own: string[]
  /** Ids of blocked people, in all forms. */
  blocked: string[]
  /** Only these chats; undefined for all. */
  choice?: ChatChoice | undefined
}

type ChatFilter = ActionInput<'chat.find'>

/** A field of the last message; empty when it is no longer stored. */
const selectOfLast = (field: string) => sql`coalesce(json_extract(${newest.record}, ${`$.${field}`}), '')`

/** The group that the chat is, as last reported. */
const matchGroup = (what: SQL) => sql`exists (select 1 from ${groups}
  where ${groups.instance} = ${chats.instance} and ${groups.jid} = ${chats.chatid} and ${what})`
const isAnnounceGroup = sql`json_extract(${groups.group}, '$.announce')`
const isAdministered = (
  owners: string[],
) => sql`exists (select 1 from json_each(${groups.group}, '$.members') as member
  where json_extract(member.value, '$.role') <> 'member'
  and (${inArray(sql`json_extract(member.value, '$.pn')`, owners)} or ${inArray(sql`json_extract(member.value, '$.lid')`, owners)}))`

/** The page, and how many chats there are in all. */
export async function findChats(
  reader: StoreReader,
  instance: string,
  filter: ChatFilter,
  view: ChatView,
): Promise<{ found: ChatRecord[]; total: number }> {
  const { total, page } = await findPage(reader, instance, filter, view)
  if (page.length === 0) return { found: [], total }
  const rows = await selectRows(reader).where(and(eq(chats.instance, instance), inArray(chats.chatid, page)))
  const records = new Map(rows.map((row) => [row.chat.chatid, toChatRecord(row, view)]))
  return { found: page.flatMap((chatid) => records.get(chatid) ?? []), total }
}

/** The ids of a page in its order. Only they are sorted, and the filters are evaluated once for a chat. */
async function findPage(
  { db }: StoreReader,
  instance: string,
  filter: ChatFilter,
  view: ChatView,
): Promise<{ total: number; page: string[] }> {
  const { sort, limit, offset, before } = filter
  const where = buildFilter(filter, view)
  const words = matchSearch(instance, filter.search)
  const hits = db
    .select({ chatid: chats.chatid, place: selectOrder(sort).as('place') })
    .from(chats)
    .leftJoin(chatSettings, matchSettings)
    .leftJoin(contacts, matchContact)
    .leftJoin(newest, matchNewest)
    .where(and(eq(chats.instance, instance), where, words))
  const isFiltered = where !== undefined || words !== undefined
  const kind = sql.raw(isFiltered ? 'materialized' : 'not materialized')
  // Without filters an index has the order, and counting needs no rows.
  const total = isFiltered
    ? sql`select count(*) from hits`
    : sql`select count(*) from ${chats} where ${chats.instance} = ${instance}`
  const direction = sql.raw(sort.startsWith('-') ? 'desc' : 'asc')
  const [row] = await db.values<[number, string]>(sql`with hits as ${kind} ${hits}
    select (${total}), (select json_group_array(chatid) from
      (select chatid from hits${selectAfter(before)} order by place ${direction}, chatid ${direction} limit ${limit} offset ${offset}))`)
  // A row of a server has places and cannot be iterated.
  return { total: row?.[0] ?? 0, page: JSON.parse(row?.[1] ?? '[]') as string[] }
}

/** The time and the id of the last chat of a page. */
export const toCursor = ({ lastMessageTimestamp, id }: ChatRecord): string => `${lastMessageTimestamp}:${id}`

function selectAfter(cursor: string | undefined): SQL {
  if (cursor === undefined) return sql``
  const end = cursor.indexOf(':')
  return sql` where (place, chatid) < (${Number(cursor.slice(0, end))}, ${cursor.slice(end + 1)})`
}

/** Finds a chat by any of its forms; the newest if there are several. */
export async function findChat(
  reader: StoreReader,
  instance: string,
  chatids: string[],
  view: ChatView,
): Promise<ChatRecord | undefined> {
  const [row] = await selectRows(reader)
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
    matchText(name, filter.wa_name, matchNamePart),
    matchText(name, filter.name, matchNamePart),
    matchText(contactName, filter.wa_contactName, matchContactPart),
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
  // What the caller may see holds whatever the operator is.
  return and(
    view.choice && matchChoice(view.choice, chats.chatid, chats.chatlid),
    filter.unread ? sql`${unreadCount} > 0` : undefined,
    filter.operator === 'OR' ? or(...filters) : and(...filters),
  )
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

/** With a leading `~` it matches a part of the text, in upper or lower case; in names also with other accents. */
function matchText(
  column: SQL,
  text: string | undefined,
  matchPart = (part: string) => sql`instr(lower(${column}), lower(${part})) > 0`,
): SQL | undefined {
  if (text === undefined) return undefined
  return text.startsWith('~') ? matchPart(text.slice(1)) : sql`${column} = ${text}`
}

const columns: Record<string, SQL> = {
  wa_lastMsgTimestamp: sql`${chats.lastAt}`,
  wa_unreadCount: unreadCount,
  wa_name: sql`${name} collate nocase`,
  name: sql`${name} collate nocase`,
}

const selectOrder = (sort: string): SQL => columns[sort.replace('-', '')] ?? sql`${chats.lastAt}`

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
    ephemeral: row.timer,
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
