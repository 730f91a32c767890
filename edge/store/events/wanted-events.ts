// SQL that says which events a webhook is to receive, by what is stored of the event and of the webhook.

import { buildCommonForm } from '@msgnet/shared/number-spellings.ts'
import { sql } from 'drizzle-orm'

/** By type and filters. `webhook` names a row of `subscriptions` or `further_webhooks` in the statement, which has `events` too. */
const buildChoice = (webhook: string): string => `(
  exists (select 1 from json_each(${webhook}.events) chosen where chosen.value = events.type)
  and not (events.type = 'messages' and exists (select 1 from json_each(${webhook}.exclude_messages) x where x.value in (
    iif(events.payload ->> '$.message.wasSentByApi', 'wasSentByApi', 'wasNotSentByApi'),
    iif(events.payload ->> '$.message.fromMe', 'fromMeYes', 'fromMeNo'),
    iif(events.payload ->> '$.message.isGroup', 'isGroupYes', 'isGroupNo')))))`

/** The chat that an event is about; null if it is about none, such as a change of the connection. */
const CHAT = `coalesce(events.payload ->> '$.message.chatid', events.payload ->> '$.event.chatid',
  events.payload ->> '$.event.JID', nullif(events.payload ->> '$.event.GroupJID', ''), events.payload ->> '$.event.From')`

/** The other id of the chat, if the network told it. */
const LID = `coalesce(events.payload ->> '$.message.chatlid', events.payload ->> '$.event.chatlid')`

/** Both ids of the person who read or changed something in a chat of two. */
const OTHER = ['pn', 'lid'].map(
  (id) => `iif(events.payload ->> '$.event.IsGroup' = 0 and events.payload ->> '$.event.IsFromMe' = 0,
    nullif(events.payload ->> '$.event.sender_${id}', ''), null)`,
)

/** A choice is of the chat in either form of its number: which one is registered, the webhook does not know. */
const buildMatch = (chat: string, ...others: string[]): string => {
  const ids = [chat, ...others].map(buildCommonForm).join(', ')
  return `exists (
  select 1 from json_each(further_webhooks.chats) choice where ${buildCommonForm('choice.value')} in (${ids})
    or choice.value = case
    when ${chat} like '%@g.us' then 'groups' when ${chat} like '%@s.msgnet.net' or ${chat} like '%@lid' then 'people' end)`
}

/** A part of a history has messages of several chats: it is for the webhook only if all of them are. */
const IS_IN_CHATS = `(further_webhooks.chats is null or case
  when events.type = 'history' then not exists (
    select 1 from json_each(events.payload, '$.event.chats') part
    where not ${buildMatch("part.value ->> 'id'", "part.value ->> 'lid'")})
  else ${CHAT} is null or ${buildMatch(CHAT, LID, ...OTHER)} end)`

/** An event that could not be stored whole is for no receiver. */
const IS_WHOLE = `events.last_error is not 'not_storable'`

/** Of rows of `events` and `subscriptions s`. */
export const isWantedByFirst = sql.raw(buildChoice('s'))

/** Of rows of `events` and `further_webhooks`. */
export const IS_WANTED_BY_FURTHER = `(${buildChoice('further_webhooks')} and ${IS_IN_CHATS} and ${IS_WHOLE})`
