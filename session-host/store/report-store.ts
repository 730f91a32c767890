// Writes reports into the outbox, or among those that wait for a file. The report of a message includes its chat in the form of the chat list, with this batch's changes.

import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { extractPhone } from '@msgnet/shared/jid.ts'
import type { EventReport } from '@msgnet/shared/wire/host-reports.ts'
import type { Hold } from './held-report-store.ts'
import { statement } from './host-store.ts'

const ADD = 'INSERT INTO outbox (holder, instance, report) VALUES (?, ?, ?)'
const HOLD = 'INSERT INTO held_reports (instance, chatid, messageid, until, report) VALUES (?, ?, ?, ?, ?)'
/** The beginning of a statement that inserts a report made by SQL. */
const intoOutbox = 'INSERT INTO outbox (holder, instance, report) SELECT ?1, ?2'
const intoHeld =
  'INSERT INTO held_reports (instance, chatid, messageid, until, report) SELECT ?2, ?9, ?10, ?11'

/** In characters: the text of the chat's newest message, usually the reported one. */
const MAX_TEXT = 4096
/** The count stops here, because it is made for each message of a chat that is never read. */
const MAX_UNREAD = 100

// Not a separate read: it is part of the commit, on a file and on a server. `at`: the path of the chat in the report.
const buildAddWithChat = (
  into: string,
  at: string,
) => `${into}, json_set(?3, '${at}', json_object('id', ?4, 'name', ?6, 'isGroup', json(?7),
  'wa_chatid', ?4, 'wa_chatlid', coalesce(c.chatlid, ''), 'wa_fastid', ?5 || ':' || ?4,
  'wa_name', coalesce(nullif(k.name, ''), nullif(c.name, ''), ?6), 'wa_contactName', coalesce(k.name, ''),
  'wa_isGroup', json(?7),
  'wa_unreadCount', (SELECT count(*) FROM (SELECT 1 FROM messages u
    WHERE u.instance = ?2 AND u.chatid = ?4 AND u.unread = 1 LIMIT ${MAX_UNREAD})),
  'wa_lastMsgTimestamp', coalesce(c.last_at, 0),
  'wa_lastMessageTextVote', substr(coalesce(json_extract(m.record, '$.text'), ''), 1, ${MAX_TEXT}),
  'wa_archived', json(iif(s.archived, 'true', 'false')), 'wa_isPinned', json(iif(s.pinned, 'true', 'false')),
  'wa_muteEndTime', coalesce(s.muted_until, 0),
  'wa_isBlocked', json(iif(EXISTS (SELECT 1 FROM blocked b
    WHERE b.instance = ?2 AND b.id IN (?4, nullif(c.chatlid, ''))), 'true', 'false')),
  'phone', ?8, 'image', ''))
FROM (SELECT 1) LEFT JOIN chats c ON c.instance = ?2 AND c.chatid = ?4
  LEFT JOIN chat_settings s ON s.instance = ?2 AND s.chatid = ?4
  LEFT JOIN contacts k ON k.instance = ?2 AND k.jid = ?4
  LEFT JOIN messages m ON m.instance = ?2 AND m.messageid = c.last_messageid`
const ADD_MESSAGE = buildAddWithChat(intoOutbox, '$.payload.chat')
const ADD_EDIT = buildAddWithChat(intoOutbox, '$.also.chat')
const HOLD_MESSAGE = buildAddWithChat(intoHeld, '$.payload.chat')
const HOLD_EDIT = buildAddWithChat(intoHeld, '$.also.chat')

type ReportedEvent = Pick<EventReport, 't' | 'owner' | 'type' | 'payload' | 'also'>
interface Chat {
  id: string
  name: string
  isGroup: boolean
}

/** `json`: the report as it is stored. `hold`: where it waits, if it is not to be sent yet. */
export function addReport(
  holder: string,
  instance: string,
  report: ReportedEvent | { t: 'state' },
  json: string,
  hold?: Hold,
): Statement {
  const within = report.t !== 'event' ? undefined : report.type === 'messages' ? report.payload : report.also
  const chat = within?.chat as Chat | undefined
  const place = hold ? [hold.chatid, hold.messageid, hold.until] : []
  if (report.t !== 'event' || !chat)
    return hold ? statement(HOLD, instance, ...place, json) : statement(ADD, holder, instance, json)
  const { id, name, isGroup } = chat
  const phone = extractPhone(id)
  const isMessage = report.type === 'messages'
  const [add, addHeld] = isMessage ? [ADD_MESSAGE, HOLD_MESSAGE] : [ADD_EDIT, HOLD_EDIT]
  const values = [
    holder,
    instance,
    json,
    id,
    report.owner,
    name,
    isGroup ? 'true' : 'false',
    phone && `+${phone}`,
  ]
  return statement(hold ? addHeld : add, ...values, ...place)
}
