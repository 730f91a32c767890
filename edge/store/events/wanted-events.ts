// SQL that says which events a webhook is to receive, by what is stored of the event and of the webhook.

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

/** The other id of a message's chat, if the network told it. */
const LID = `events.payload ->> '$.message.chatlid'`

const buildMatch = (chat: string): string => `exists (
  select 1 from json_each(further_webhooks.chats) choice where choice.value = ${chat} or choice.value = case
    when ${chat} like '%@g.us' then 'groups' when ${chat} like '%@s.msgnet.net' or ${chat} like '%@lid' then 'people' end)`

/** A part of a history has messages of several chats: it is for the webhook only if all of them are. */
const IS_IN_CHATS = `(further_webhooks.chats is null or case
  when events.type = 'history' then not exists (
    select 1 from json_each(events.payload, '$.event.chats') part where not ${buildMatch("part.value ->> 'id'")})
  else ${CHAT} is null or ${buildMatch(CHAT)} or ${buildMatch(LID)} end)`

/** An event that could not be stored whole is for no receiver. */
const IS_WHOLE = `events.last_error is not 'not_storable'`

/** Of rows of `events` and `subscriptions s`. */
export const isWantedByFirst = sql.raw(buildChoice('s'))

/** Of rows of `events` and `further_webhooks`. */
export const IS_WANTED_BY_FURTHER = `(${buildChoice('further_webhooks')} and ${IS_IN_CHATS} and ${IS_WHOLE})`
