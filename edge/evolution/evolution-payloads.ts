// What an event of the contract says in the words of Evolution: a name, and its data; several where Evolution has several.

import type * as changes from '@msgnet/shared/contract/change-envelopes.ts'
import type * as events from '@msgnet/shared/contract/event-names.ts'
import type { DisconnectReason, Pairing } from '@msgnet/shared/contract/instance-requests.ts'
import { formatDateTime } from '@msgnet/shared/date-time.ts'
import { isLid } from '@msgnet/shared/jid.ts'
import type { EventSource } from '../dialect/event-format.ts'
import type { Said } from '../dialect/event-parts.ts'
import { hasBodyFile } from '../hosts/webhook-files.ts'
import { orderIds, toOuterId, toSeconds, toState } from './evolution-ids.ts'
import { toEvolutionMessage } from './evolution-message.ts'

// biome-ignore lint/suspicious/noExplicitAny: as the type of the event has it.
type Describe = (payload: any, event: EventSource, instance: string) => Said[]

/** Its chat, and the name of whoever wrote it, are told after it. */
function describeNew({ message, chat }: events.MessagesPayload, { instanceId }: EventSource): Said[] {
  const data = toEvolutionMessage(message, instanceId)
  const { remoteJid, participant } = data.key
  const described = describePerson(participant ?? remoteJid, message.senderName, instanceId)
  return [
    {
      name: message.wasSentByApi ? 'send.message' : 'messages.upsert',
      data,
      file: hasBodyFile(message) ? message : undefined,
    },
    { name: 'chats.upsert', data: [{ remoteJid, name: chat.name, instanceId }] },
    { name: 'chats.update', data: [{ remoteJid, instanceId }] },
    ...(message.fromMe || !message.senderName ? [] : [{ name: 'contacts.update', data: described }]),
  ]
}

const describePerson = (remoteJid: string, pushName: string, instanceId: string) => ({
  remoteJid,
  pushName,
  profilePicUrl: null,
  instanceId,
})

const progress: Partial<Record<events.MessagesUpdatePayload['state'], string>> = {
  Sent: 'SERVER_ACK',
  Delivered: 'DELIVERY_ACK',
  Read: 'READ',
  Played: 'PLAYED',
  Failed: 'ERROR',
}

function describeUpdate(
  { state, event }: events.MessagesUpdatePayload,
  { id, instanceId }: EventSource,
): Said[] {
  const remoteJid = orderIds(event.chatid, '', event.chatlid ?? '').id
  const author = orderIds(event.Sender, event.sender_pn, event.sender_lid).id
  const participant = event.IsGroup && author !== '' ? { participant: author } : {}
  const { MessageIDs: ids, IsFromMe: isOwn, vote: selectedOptions } = event
  const describe = (name: string, field: string, fromMe: boolean, status: string) =>
    ids.map((one) => ({
      name,
      data: { [field]: one, remoteJid, fromMe, ...participant, status, instanceId },
    }))
  const status = progress[state]
  // Receipts are told of messages of the account only.
  if (status) return describe('messages.update', 'keyId', true, status)
  if (state === 'Deleted') return describe('messages.delete', 'id', isOwn, 'DELETED')
  if (state !== 'Voted' || !selectedOptions) return []
  const pollUpdateMessage = {
    pollCreationMessageKey: { remoteJid, id: ids[0] ?? '' },
    vote: { selectedOptions },
    senderTimestampMs: event.Timestamp,
  }
  const data = {
    // A vote is no message of the contract, so its id is that of the event.
    key: { remoteJid, fromMe: isOwn, id, ...participant },
    status: 'DELIVERY_ACK',
    message: { pollUpdateMessage },
    messageType: 'pollUpdateMessage',
    messageTimestamp: toSeconds(event.Timestamp),
    instanceId,
    source: 'unknown',
  }
  return [{ name: 'messages.upsert', data }]
}

function describeEdit({ event }: changes.MessagesEditPayload, { requestId }: EventSource): Said[] {
  if (event.unreadable) return []
  const key = { remoteJid: orderIds(event.chatid, '', event.chatlid ?? '').id, id: event.messageid }
  const editedMessage = { conversation: event.text }
  const data = { key, type: 'MESSAGE_EDIT', editedMessage, timestampMs: event.editedAt }
  const edited = { name: 'messages.edited', data }
  return requestId ? [edited, { name: 'send.message.update', data }] : [edited]
}

/** Its chats and people come before the messages in them. */
function describeHistory({ event }: changes.HistoryPayload, { instanceId }: EventSource): Said[] {
  const chats = event.chats.map(({ id, lid, name, isGroup }) => {
    return { isGroup, name, remoteJid: orderIds(id, '', lid).id, instanceId }
  })
  const people = chats.filter(({ isGroup, name }) => !isGroup && name !== '')
  const all = [
    { name: 'chats.set', data: chats.map(({ isGroup: _, ...chat }) => chat) },
    {
      name: 'contacts.upsert',
      data: people.map(({ remoteJid, name }) => describePerson(remoteJid, name, instanceId)),
    },
    {
      name: 'messages.set',
      data: event.messages.map((message) => toEvolutionMessage(message, instanceId)),
      beside: { isLatest: event.progress === 100, progress: event.progress },
    },
  ]
  return all.filter(({ data }) => data.length > 0)
}

/** Its members are told one kind of change after the other. */
function describeGroup({ type, event }: changes.GroupsPayload): Said[] {
  const { JID: id, Name: subject, Topic: desc, Locked: restrict, Announce: announce } = event
  const author = orderIds(event.Sender, event.sender_pn, event.sender_lid).id
  const changed = { subject, desc, restrict, announce }
  const name = type === 'JoinedGroup' ? 'groups.upsert' : 'groups.update'
  const isTold = type === 'JoinedGroup' || Object.values(changed).some((value) => value !== undefined)
  const members = { add: event.Join, remove: event.Leave, promote: event.Promote, demote: event.Demote }
  return [
    ...(isTold ? [{ name, data: [{ id, ...changed }] }] : []),
    ...Object.entries(members).flatMap(([action, people]) => describeMembers(action, people)),
  ]

  function describeMembers(action: string, people: string[]): Said[] {
    if (people.length === 0) return []
    const participantsData = people.map((jid) => ({
      jid: toOuterId(jid),
      phoneNumber: isLid(jid) ? null : toOuterId(jid),
    }))
    const data = { id, author, participants: people.map(toOuterId), action, participantsData }
    return [{ name: 'group-participants.update', data }]
  }
}

function describeCall({ event }: changes.CallPayload): Said[] {
  const { CallID: id, From, GroupJID, IsVideo: isVideo, IsGroup: isGroup, State: status, Timestamp } = event
  const from = toOuterId(From)
  const call = { id, from, chatId: GroupJID || from, isGroup, isVideo, status, offline: false }
  return [{ name: 'call', data: { ...call, date: formatDateTime(Timestamp) } }]
}

function describePresence({ event }: changes.PresencePayload): Said[] {
  const { number, state: lastKnownPresence, lastSeen, Sender, sender_pn, sender_lid, IsGroup } = event
  const person = orderIds(Sender, sender_pn, sender_lid).id
  const presence = { lastKnownPresence, ...(lastSeen > 0 && { lastSeen: toSeconds(lastSeen) }) }
  const data = { id: IsGroup ? number : person, presences: { [person]: presence } }
  return [{ name: 'presence.update', data }]
}

/** As numbers of the network's library. */
export const reasons: Partial<Record<DisconnectReason, number>> = {
  logged_out: 401,
  by_request: 401,
  banned: 403,
  unreachable: 408,
  pairing_expired: 428,
  replaced: 440,
  bad_session: 500,
}

const CODES_ENDED = { message: 'QR code limit reached, please login again', statusCode: 500 }

function describeConnection(
  { status, lastDisconnectReason }: events.ConnectionPayload,
  { beyond, owner, at }: EventSource,
  instance: string,
): Said[] {
  // Its data is read when it is sent.
  if (beyond?.code) return [{ name: 'qrcode.updated', data: {} }]
  const state = toState(status)
  const isRefused = state === 'close' && lastDisconnectReason === 'pairing_expired'
  const data = {
    instance,
    state: isRefused ? 'refused' : state,
    statusReason: state === 'close' ? (reasons[lastDisconnectReason] ?? 428) : 200,
    ...(state === 'open' && { wuid: toOuterId(owner), profileName: null, profilePictureUrl: null }),
  }
  const update = { name: 'connection.update', data }
  if (isRefused) return [{ name: 'qrcode.updated', data: CODES_ENDED }, update]
  const end = { instance, status: 'closed', disconnectionAt: formatDateTime(at) }
  const ended = { ...end, disconnectionReasonCode: data.statusReason }
  return [
    update,
    ...(data.statusReason === 401 ? [{ name: 'status.instance', data: ended }] : []),
    ...(lastDisconnectReason === 'by_request' && state === 'close'
      ? [{ name: 'logout.instance', data: null }]
      : []),
  ]
}

const byType: Record<string, Describe> = {
  messages: describeNew,
  messages_update: describeUpdate,
  messages_edit: describeEdit,
  history: describeHistory,
  connection: describeConnection,
  groups: describeGroup,
  call: describeCall,
  presence: describePresence,
  test: () => [{ name: 'test', data: {} }],
}

/** None if this form has no words for it. */
export const listSaid = (event: EventSource, instance: string): Said[] =>
  byType[event.type]?.(event.payload, event, instance) ?? []

/** The two ways to link have each its own fields, and the code is one word, as people type it. A program that polls gets the newest. */
export const describePairing = (pairing: Pairing | undefined) => ({
  pairingCode: pairing?.method === 'code' ? pairing.code.replace('-', '') : null,
  code: pairing?.method === 'qr' ? pairing.qr : null,
  base64: pairing?.method === 'qr' ? pairing.qrcode : null,
})
