// Writes reports into the outbox. The report of a message includes its chat in the form of the chat list, with this batch's changes.

import type { Statement } from '../../shared/db/prepared-queries.ts'
import { extractPhone } from '../../shared/jid.ts'
import type { EventReport } from '../../shared/wire/host-reports.ts'
import { statement } from './host-store.ts'

const ADD = 'INSERT INTO outbox (holder, instance, report) VALUES (?, ?, ?)'

/** In characters: the text of the chat's newest message, usually the reported one. */
const MAX_TEXT = 4096
/** The count stops here, because it is made for each message of a chat that is never read. */
const MAX_UNREAD = 100

// Not a separate read: it is part of the commit, on a file and on a server. `at`: the path of the chat in the report.
const buildAddWithChat = (at: string) => `INSERT INTO outbox (holder, instance, report)
SELECT ?1, ?2, json_set(?3, '${at}', json_object('id', ?4, 'name', ?6, 'isGroup', json(?7),
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
const ADD_MESSAGE = buildAddWithChat('$.payload.chat')
const ADD_EDIT = buildAddWithChat('$.also.chat')

type ReportedEvent = Pick<EventReport, 't' | 'owner' | 'type' | 'payload' | 'also'>
interface Chat {
  id: string
  name: string
  isGroup: boolean
}

/** `json`: the report as it is stored. */
export function addReport(
  holder: string,
  instance: string,
  report: ReportedEvent | { t: 'state' },
  json: string,
): Statement {
  const within = report.t !== 'event' ? undefined : report.type === 'messages' ? report.payload : report.also
  const chat = within?.chat as Chat | undefined
  if (report.t !== 'event' || !chat) return statement(ADD, holder, instance, json)
  const { id, name, isGroup } = chat
  const phone = extractPhone(id)
  return statement(
    report.type === 'messages' ? ADD_MESSAGE : ADD_EDIT,
    ...[holder, instance, json, id, report.owner, name, isGroup ? 'true' : 'false', phone && `+${phone}`],
  )
}
