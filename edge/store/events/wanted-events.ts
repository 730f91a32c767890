// Which events a webhook is to receive: asked when an event is stored, and again when the webhook changes or replays.

import type { MessagesPayload } from '@msgnet/shared/contract/event-names.ts'
import { isGroup, STATUS_JID } from '@msgnet/shared/jid.ts'
import { buildCommonForm, findOtherForm } from '@msgnet/shared/number-spellings.ts'
import { type SQL, sql } from 'drizzle-orm'

/**
 * Whether the event is about a status post that was not sent by the API: a webhook or a stream gets it only if it names `status_posts`.
 * Who has seen one that was sent is news of that.
 */
export function isStatusPost(type: string, payload: Record<string, unknown>): boolean {
  const { message, type: update, event } = payload as Partial<MessagesPayload> & Payload & { type?: string }
  if (type === 'messages') return message?.chatid === STATUS_JID && !message.wasSentByApi
  if (event?.chatid !== STATUS_JID) return false
  return type === 'messages_edit' || (event.IsFromMe === false && !update?.endsWith('Receipt'))
}

/** The name that a webhook chooses a stored event by, in SQL. */
const STORED_NAME = `case when (events.type = 'messages' and events.payload ->> '$.message.chatid' = '${STATUS_JID}'
      and not events.payload ->> '$.message.wasSentByApi')
    or (events.payload ->> '$.event.chatid' = '${STATUS_JID}' and (events.type = 'messages_edit'
      or (events.payload ->> '$.event.IsFromMe' = 0 and events.payload ->> '$.type' not like '%Receipt')))
  then 'status_posts' else events.type end`

/** By name and filters. `webhook` names a row in the statement, `name` and `filters` are SQL of the event's. */
const buildChoice = (webhook: string, name: string, filters: string): string => `
  exists (select 1 from json_each(${webhook}.events) chosen where chosen.value = ${name})
  and not exists (select 1 from json_each(${webhook}.exclude_messages) excluded where excluded.value in (${filters}))`

const ALSO_CHOICE = `(report.also is not null
    and exists (select 1 from json_each(report.also, '$.formats') format where format.value = w.format)
    and exists (select 1 from json_each(w.events) chosen where chosen.value = report.also ->> 'type')
    and not exists (select 1 from json_each(w.exclude_messages) excluded
      where excluded.value in (select value from json_each(report.also, '$.filters'))))`

/**
 * Of a row `report`, which says by `chats` what a choice of chats may name, and by `also` what webhooks of some formats choose it as beside
 * its type, or with `is_code` alone. Short, because it is a part of the statement that stores events.
 */
export const IS_REPORT_WANTED = `((report.is_code is null and ${buildChoice('w', 'coalesce(report.named, report.type)', 'select value from json_each(report.filters)')}
    or ${ALSO_CHOICE})
  and (w.chats is null or report.chats is null or not exists (select 1 from json_each(report.chats) part
    where not exists (select 1 from json_each(w.chats) choice where choice.value in (select value from json_each(part.value))))))`

type Payload = Partial<Record<'message' | 'event', Record<string, unknown>>>

/**
 * For each chat that the event is about, what a choice may have to name it: its ids, each in both forms of its number, because a webhook
 * does not know which is registered; and `groups` or `people`. Undefined if the event is about no chat, such as a change of the
 * connection. A part of a history has several chats, and is for a webhook only if all of them are.
 */
export function listChats(type: string, payload: Record<string, unknown>): string[][] | undefined {
  const { message, event } = payload as Payload
  if (type === 'history') {
    const parts = (event?.chats ?? []) as Record<'id' | 'lid', unknown>[]
    return parts.map(({ id, lid }) => listNames(id, [lid]))
  }
  const chat =
    message?.chatid ??
    event?.chatid ??
    event?.JID ??
    (event?.GroupJID || undefined) ??
    event?.From ??
    undefined
  if (chat === undefined) return undefined
  // Who read or changed something in a chat of two is the chat; status posts are a chat of their own, which no choice names.
  const isOther = event?.IsGroup === false && event.IsFromMe === false && chat !== STATUS_JID
  const others = isOther ? [event.sender_pn, event.sender_lid] : []
  return [listNames(chat, [message?.chatlid ?? event?.chatlid, ...others])]
}

/** Whether a caller that may see some chats only may see the event. */
export function isForChats(chats: string[], type: string, payload: Record<string, unknown>): boolean {
  const parts = listChats(type, payload)
  return parts === undefined || parts.every((names) => names.some((name) => chats.includes(name)))
}

function listNames(chat: unknown, others: unknown[]): string[] {
  const ids = [chat, ...others].filter((id): id is string => typeof id === 'string' && id !== '')
  const named = typeof chat !== 'string' ? [] : isGroup(chat) ? ['groups'] : isPerson(chat) ? ['people'] : []
  return [...named, ...ids, ...ids.flatMap((id) => findOtherForm(id) ?? [])]
}

const isPerson = (chat: string): boolean => /@(s\.msgnet\.net|lid)$/.test(chat)

/** The chat of a stored event, in SQL. */
const CHAT = `coalesce(events.payload ->> '$.message.chatid', events.payload ->> '$.event.chatid',
  events.payload ->> '$.event.JID', nullif(events.payload ->> '$.event.GroupJID', ''), events.payload ->> '$.event.From')`
const LID = `coalesce(events.payload ->> '$.message.chatlid', events.payload ->> '$.event.chatlid')`
const OTHERS = ['pn', 'lid'].map(
  (id) => `iif(events.payload ->> '$.event.IsGroup' = 0 and events.payload ->> '$.event.IsFromMe' = 0
      and events.payload ->> '$.event.chatid' is not '${STATUS_JID}',
    nullif(events.payload ->> '$.event.sender_${id}', ''), null)`,
)

/** `chosen`: SQL of the chosen chats as JSON. */
const buildMatch = (chosen: string, chat: string, ...others: string[]): string => {
  const ids = [chat, ...others].map(buildCommonForm).join(', ')
  return `exists (
  select 1 from json_each(${chosen}) choice where ${buildCommonForm('choice.value')} in (${ids})
    or choice.value = case
    when ${chat} like '%@g.us' then 'groups' when ${chat} like '%@s.msgnet.net' or ${chat} like '%@lid' then 'people' end)`
}

/** The same as `listChats` says of a report. */
const buildIsInChats = (chosen: string): string => `(${chosen} is null or case
  when events.type = 'history' then not exists (
    select 1 from json_each(events.payload, '$.event.chats') part
    where not ${buildMatch(chosen, "part.value ->> 'id'", "part.value ->> 'lid'")})
  else ${CHAT} is null or ${buildMatch(chosen, CHAT, LID, ...OTHERS)} end)`

// Only new messages are filtered; other events match no filter.
const FILTERS = `select iif(events.type = 'messages', filter.value, null) from json_each(json_array(
  iif(events.payload ->> '$.message.wasSentByApi', 'wasSentByApi', 'wasNotSentByApi'),
  iif(events.payload ->> '$.message.fromMe', 'fromMeYes', 'fromMeNo'),
  iif(events.payload ->> '$.message.isGroup', 'isGroupYes', 'isGroupNo'))) filter`

/** The message that results from an edit or a vote. Whether its form has such a message, it says when it makes the parts. */
const IS_RESULT_CHOSEN = `(events.beyond is not null and webhooks.format <> 'contract' and events.beyond -> 'result' is not null
  and exists (select 1 from json_each(webhooks.events) chosen where chosen.value = 'messages'))`

/** Of rows of `events` and `webhooks`, by what the webhook chooses now. An event that could not be stored whole is for no receiver. */
export const IS_WANTED_NOW = `(events.refused is null and (${buildChoice('webhooks', STORED_NAME, FILTERS)} or ${IS_RESULT_CHOSEN})
  and ${buildIsInChats('webhooks.chats')})`

const MARK = '?'
const IN_GIVEN_CHATS = buildIsInChats(MARK).split(MARK)

/** Of a row of `events`, for a caller that may see some chats only. */
export const isInGivenChats = (chats: string[]): SQL =>
  sql.join(
    IN_GIVEN_CHATS.flatMap((part, at) => [...(at > 0 ? [sql`${JSON.stringify(chats)}`] : []), sql.raw(part)]),
  )
