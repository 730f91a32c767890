// What an event of the contract says in the words of the Cloud API: messages, statuses, and what a webhook gets beyond them if it has named it.

import type { MessagesEditPayload } from '@msgnet/shared/contract/change-envelopes.ts'
import type { MessagesPayload, MessagesUpdatePayload } from '@msgnet/shared/contract/event-names.ts'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { extractPhone, isLid } from '@msgnet/shared/jid.ts'
import type { EventSource } from '../dialect/event-format.ts'
import { describeFailure } from './cloud-errors.ts'
import { addPrefix } from './cloud-message-ids.ts'
import { describeContent, formatSeconds, toCloudMessage } from './received-cloud-message.ts'
import { formatUserId, type Person } from './user-ids.ts'

type Fields = Record<string, unknown>

/** What the phone itself sends is a field of its own; the others are more of the field `messages`. */
const ECHOES = 'smb_message_echoes'
export const extraFields = ['edit', 'revoke', ECHOES, 'groups'] as const

/** One change of a webhook; its field is `messages` unless it says otherwise. */
export interface Change {
  field?: string
  value: Fields
}

type Named = ReadonlySet<string>

const isGroupHidden = (isGroup: boolean, named: Named): boolean => isGroup && !named.has('groups')

export function describeMessage({ payload, owner }: EventSource, named: Named): Change[] {
  const { message } = payload as MessagesPayload
  if (isGroupHidden(message.isGroup, named)) return []
  if (!message.fromMe) return [createMessage(message)]
  return named.has(ECHOES) && !message.wasSentByApi ? [createEcho(message, owner)] : []
}

function createMessage(message: MessageRecord): Change {
  const person = describePerson(message.sender_pn || message.sender, message.sender_lid)
  const head = { ...nameSender(person), ...nameGroup(message.isGroup, message.chatid) }
  return {
    value: {
      contacts: [describeContact(person, message.senderName)],
      messages: [toCloudMessage(message, head)],
    },
  }
}

const nameSender = ({ wa_id, user_id }: Person): Fields => ({
  ...(wa_id && { from: wa_id }),
  from_user_id: user_id,
})

const nameGroup = (isGroup: boolean, group: string): Fields => (isGroup ? { group_id: group } : {})

const describeContact = (person: Person, name: string): Fields => ({
  profile: { name: name || person.wa_id || '' },
  ...person,
})

function createEcho(message: MessageRecord, owner: string): Change {
  const { isGroup, chatid, chatlid } = message
  const { wa_id, user_id } = describePerson(chatid, chatlid)
  const to = isGroup ? { to: chatid, group_id: chatid } : { ...(wa_id && { to: wa_id }), to_user_id: user_id }
  return {
    field: ECHOES,
    value: { message_echoes: [toCloudMessage(message, { from: owner, ...to })] },
  }
}

function describePerson(jid: string, lid: string): Person {
  const phone = isLid(jid) ? '' : extractPhone(jid)
  return { ...(phone && { wa_id: phone }), user_id: formatUserId(phone, lid || (isLid(jid) ? jid : '')) }
}

const statuses: Partial<Record<MessagesUpdatePayload['state'], string>> = {
  Sent: 'sent',
  Delivered: 'delivered',
  Read: 'read',
  Played: 'played',
  Failed: 'failed',
}

export function describeUpdate(source: EventSource, named: Named): Change[] {
  const { state, event } = source.payload as MessagesUpdatePayload
  if (isGroupHidden(event.IsGroup, named)) return []
  if (state === 'Deleted') return event.IsFromMe || !named.has('revoke') ? [] : describeDeletion(source)
  const status = statuses[state]
  return status ? describeStatuses(status, event) : []
}

/** Of messages of the account. */
function describeStatuses(status: string, event: MessagesUpdatePayload['event']): Change[] {
  const person = event.IsGroup
    ? describePerson(event.sender_pn || event.Sender, event.sender_lid)
    : describePerson(event.chatid, event.chatlid ?? event.sender_lid)
  const { wa_id, user_id } = person
  const recipient = event.IsGroup
    ? {
        recipient_id: event.chatid,
        recipient_type: 'group',
        ...(wa_id && { recipient_participant_id: wa_id }),
      }
    : { ...(wa_id && { recipient_id: wa_id }), recipient_user_id: user_id }
  const errors = status === 'failed' && { errors: [describeError(event.error ?? '')] }
  const head = { status, timestamp: formatSeconds(event.Timestamp), ...recipient }
  return event.MessageIDs.map((id) => ({
    value: { contacts: [person], statuses: [{ id: addPrefix(id), ...head, ...errors }] },
  }))
}

function describeError(error: string) {
  const { code, title } = describeFailure(error)
  return { code, title, message: title, error_data: { details: error || title } }
}

/** It is no message of the contract, so its id is that of the event. */
const createId = (id: string, place: number): string => addPrefix(place === 0 ? id : `${id}-${place}`)

function describeDeletion({ id, payload }: EventSource): Change[] {
  const { event } = payload as MessagesUpdatePayload
  const person = describePerson(event.sender_pn || event.Sender, event.sender_lid)
  return event.MessageIDs.map((messageid, place) => ({
    value: {
      contacts: [describeContact(person, '')],
      messages: [
        {
          ...nameSender(person),
          ...nameGroup(event.IsGroup, event.chatid),
          id: createId(id, place),
          timestamp: formatSeconds(event.Timestamp),
          type: 'revoke',
          revoke: { original_message_id: addPrefix(messageid) },
        },
      ],
    },
  }))
}

/** Of a message that is not stored here it is not known whose it is. */
export function describeEdit({ id, payload, beyond }: EventSource, named: Named): Change[] {
  const { event } = payload as MessagesEditPayload
  const { message } = (beyond?.result ?? {}) as Partial<MessagesPayload>
  if (!named.has('edit') || event.unreadable || !message || message.fromMe) return []
  if (isGroupHidden(message.isGroup, named)) return []
  const person = describePerson(message.sender_pn || message.sender, message.sender_lid)
  const edit = { original_message_id: addPrefix(event.messageid), message: describeContent(message) }
  const edited = {
    ...nameSender(person),
    ...nameGroup(message.isGroup, message.chatid),
    id: createId(id, 0),
    timestamp: formatSeconds(event.editedAt),
    type: 'edit',
    edit,
  }
  return [{ value: { contacts: [describeContact(person, message.senderName)], messages: [edited] } }]
}
