// What an event of the contract says in the words of Evolution: a name, and its data; several where Evolution has several.

import type {
  CallPayload,
  GroupsPayload,
  MessagesEditPayload,
} from '@msgnet/shared/contract/change-envelopes.ts'
import type {
  ConnectionPayload,
  MessagesPayload,
  MessagesUpdatePayload,
} from '@msgnet/shared/contract/event-names.ts'
import type { DisconnectReason, Pairing } from '@msgnet/shared/contract/instance-requests.ts'
import type { EventSource } from '../dialect/event-format.ts'
import { describeCall, describeGroup, type Said } from './evolution-group-payloads.ts'
import { orderIds, toOuterId, toSeconds, toState } from './evolution-ids.ts'
import { toEvolutionMessage } from './evolution-message.ts'

/** None if this form has no words for it. */
export function listSaid(event: EventSource, instance: string): Said[] {
  const { instanceId, type, payload } = event
  switch (type) {
    case 'messages':
      return [describeNew(payload as MessagesPayload, instanceId)]
    case 'messages_update':
      return describeUpdate(payload as MessagesUpdatePayload, event)
    case 'messages_edit':
      return describeEdit(payload as MessagesEditPayload)
    case 'connection':
      return describeConnection(payload as unknown as ConnectionPayload, event, instance)
    case 'groups':
      return describeGroup(payload as GroupsPayload)
    case 'call':
      return [describeCall(payload as CallPayload)]
    case 'test':
      return [{ name: 'test', data: {} }]
    default:
      return []
  }
}

const describeNew = ({ message }: MessagesPayload, instanceId: string): Said => ({
  name: message.wasSentByApi ? 'send.message' : 'messages.upsert',
  data: toEvolutionMessage(message, instanceId),
})

const progress: Partial<Record<MessagesUpdatePayload['state'], string>> = {
  Sent: 'SERVER_ACK',
  Delivered: 'DELIVERY_ACK',
  Read: 'READ',
  Played: 'PLAYED',
  Failed: 'ERROR',
}

function describeUpdate(payload: MessagesUpdatePayload, { id, instanceId }: EventSource): Said[] {
  const { state, event } = payload
  const remoteJid = orderIds(event.chatid, '', event.chatlid ?? '').id
  const author = orderIds(event.Sender, event.sender_pn, event.sender_lid).id
  const participant = event.IsGroup && author !== '' ? { participant: author } : {}
  const status = progress[state]
  // Receipts are told of messages of the account only.
  if (status)
    return event.MessageIDs.map((keyId) => ({
      name: 'messages.update',
      data: { keyId, remoteJid, fromMe: true, ...participant, status, instanceId },
    }))
  if (state === 'Deleted')
    return event.MessageIDs.map((messageid) => ({
      name: 'messages.delete',
      data: {
        id: messageid,
        remoteJid,
        fromMe: event.IsFromMe,
        ...participant,
        status: 'DELETED',
        instanceId,
      },
    }))
  if (state !== 'Voted' || !event.vote) return []
  const [pollId = ''] = event.MessageIDs
  const vote = {
    pollCreationMessageKey: { remoteJid, id: pollId },
    vote: { selectedOptions: event.vote },
    senderTimestampMs: event.Timestamp,
  }
  return [
    {
      name: 'messages.upsert',
      data: {
        // A vote is no message of the contract, so its id is that of the event.
        key: { remoteJid, fromMe: event.IsFromMe, id, ...participant },
        status: 'DELIVERY_ACK',
        message: { pollUpdateMessage: vote },
        messageType: 'pollUpdateMessage',
        messageTimestamp: toSeconds(event.Timestamp),
        instanceId,
        source: 'unknown',
      },
    },
  ]
}

function describeEdit({ event }: MessagesEditPayload): Said[] {
  if (event.unreadable) return []
  const remoteJid = orderIds(event.chatid, '', event.chatlid ?? '').id
  return [
    {
      name: 'messages.edited',
      data: {
        key: { remoteJid, id: event.messageid },
        type: 'MESSAGE_EDIT',
        editedMessage: { conversation: event.text },
        timestampMs: event.editedAt,
      },
    },
  ]
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
  { status, lastDisconnectReason }: ConnectionPayload,
  { beyond, owner }: EventSource,
  instance: string,
): Said[] {
  // Its data is read when it is sent.
  if (beyond?.code) return [{ name: 'qrcode.updated', data: {} }]
  const state = toState(status)
  const isRefused = state === 'close' && lastDisconnectReason === 'pairing_expired'
  const reason = state === 'close' ? (reasons[lastDisconnectReason] ?? 428) : 200
  const update: Said = {
    name: 'connection.update',
    data: {
      instance,
      state: isRefused ? 'refused' : state,
      statusReason: reason,
      ...(state === 'open' && { wuid: toOuterId(owner), profileName: null, profilePictureUrl: null }),
    },
  }
  return isRefused ? [{ name: 'qrcode.updated', data: CODES_ENDED }, update] : [update]
}

/** The two ways to link have each its own fields; a program that polls gets the newest code. */
export const describeQrCode = (instance: string, pairing: Pairing) => ({
  instance,
  ...describePairing(pairing),
})

/** The code is one word, as people type it. */
export const describePairing = (pairing: Pairing | undefined) => ({
  pairingCode: pairing?.method === 'code' ? pairing.code.replace('-', '') : null,
  code: pairing?.method === 'qr' ? pairing.qr : null,
  base64: pairing?.method === 'qr' ? pairing.qrcode : null,
})
