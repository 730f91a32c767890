// Documentation of the envelopes of sessions and messages: what a receiver gets of each kind.

import * as sample from '@msgnet/shared/api/sample-values.ts'
import {
  ConnectionEnvelope,
  MessagesEnvelope,
  MessagesUpdateEnvelope,
} from '@msgnet/shared/contract/event-envelopes.ts'
import { DAY } from '@msgnet/shared/date-time.ts'
import type { Delivery } from './documented-delivery.ts'

const { head, received, sent, groupJid } = sample

const connect = (status: string, lastDisconnectReason: string) => ({
  EventType: 'connection',
  ...head,
  instance: { id: sample.fresh.id, name: 'Shop', status, lastDisconnectReason },
})

const personChat = { id: received.chatid, name: 'Bruno', isGroup: false }

/** The chat with this message as its last one. */
const describeChat = ({ id, name, isGroup }: typeof personChat, { text }: { text: string }) => ({
  id,
  name,
  isGroup,
  wa_chatid: id,
  wa_chatlid: '',
  wa_fastid: `${head.owner}:${id}`,
  wa_name: name,
  wa_contactName: '',
  wa_isGroup: isGroup,
  wa_unreadCount: 1,
  wa_lastMsgTimestamp: received.messageTimestamp,
  wa_lastMessageTextVote: text,
  wa_archived: false,
  wa_isPinned: false,
  wa_muteEndTime: 0,
  wa_isBlocked: false,
  phone: isGroup ? '' : `+${sample.customer}`,
  image: '',
})

const receive = (change: object, chat = personChat) => {
  const message = { ...received, ...change }
  return { EventType: 'messages', ...head, message, chat: describeChat(chat, message) }
}

const groupMessage = {
  chatid: groupJid,
  isGroup: true,
  groupName: 'Regulars',
  text: 'Who is coming on Friday?',
}

const mention = {
  ...groupMessage,
  messageType: 'extendedTextMessage',
  text: '@118003327764 @all on Friday?',
  mentions: [{ jid: sent.sender, lid: '118003327764@lid', name: 'Shop' }],
  mentionsMe: true,
}

const image = {
  messageType: 'imageMessage',
  type: 'media',
  mediaType: 'image',
  text: 'The label is torn.',
  content: {
    caption: 'The label is torn.',
    mimetype: 'image/jpeg',
    fileLength: 48_213,
    width: 1280,
    height: 960,
  },
}

const voice = {
  messageType: 'audioMessage',
  type: 'media',
  mediaType: 'ptt',
  text: '',
  content: { mimetype: 'audio/ogg; codecs=opus', fileLength: 9_120, seconds: 4 },
}

const location = {
  messageType: 'locationMessage',
  type: 'location',
  text: 'The Shop',
  content: { latitude: -23.55, longitude: -46.63, name: 'The Shop', address: 'Rua Augusta 7' },
}

const tap = {
  messageType: 'interactiveResponseMessage',
  type: 'text',
  text: 'Tomorrow',
  vote: 'Tomorrow',
  buttonOrListid: 'tomorrow',
  quoted: sent.messageid,
  content: { selectedID: 'tomorrow', selectedDisplayText: 'Tomorrow' },
}

const receipt = (type: string, state: string, event: object) => ({
  EventType: 'messages_update',
  ...head,
  type,
  state,
  event: {
    MessageIDs: [sent.messageid],
    chatid: sent.chatid,
    Chat: sent.chatid,
    Type: '',
    Sender: sent.chatid,
    sender_pn: sent.chatid,
    sender_lid: '',
    IsFromMe: true,
    IsGroup: false,
    Timestamp: head.timestamp,
    ...event,
  },
})

export const messageDeliveries: Record<string, Delivery> = {
  connection: {
    summary: 'The status of the session has changed',
    envelope: ConnectionEnvelope,
    examples: {
      connected: connect('connected', ''),
      'connection lost': connect('connecting', ''),
      'logged out on the phone': connect('disconnected', 'logged_out'),
      'the code was not scanned': connect('disconnected', 'pairing_expired'),
      'the account is banned': connect('disconnected', 'banned'),
    },
  },
  messages: {
    summary: 'A message was received, or was sent by the owner or by the API',
    envelope: MessagesEnvelope,
    examples: {
      'a text': receive({}),
      'an image with caption': receive(image),
      'a voice note': receive(voice),
      'a location': receive(location),
      'a message in a group': receive(groupMessage, { id: groupJid, name: 'Regulars', isGroup: true }),
      'a reply': receive({
        messageType: 'extendedTextMessage',
        text: 'Thank you!',
        quoted: sent.messageid,
        quotedSender: sent.sender,
        repliesToMe: true,
      }),
      'a mention in a group': receive(mention, { id: groupJid, name: 'Regulars', isGroup: true }),
      'a tap on a button': receive(tap),
      'a reaction': receive({
        messageType: 'reactionMessage',
        type: 'reaction',
        text: '❤️',
        reaction: sent.messageid,
      }),
      'an event': receive({
        messageType: 'eventMessage',
        type: 'other',
        text: 'Tasting',
        content: { description: 'New breads', startTime: head.timestamp + DAY },
      }),
      'a kind that this version does not read': receive({
        messageType: 'conditionalRevealMessage',
        type: 'unsupported',
        text: '',
        content: { field: 120, name: 'conditionalRevealMessage', bytes: 'CgZzZWFsZWQ=' },
      }),
      'a text that the owner sent on the phone': receive({
        ...sent,
        wasSentByApi: false,
        text: 'We open at nine.',
      }),
      'a text that the API sent': receive({ ...sent, track_id: 'order-7', track_source: 'shop' }),
    },
  },
  messages_update: {
    summary: 'Messages were delivered, read, played, deleted, pinned, kept or starred',
    envelope: MessagesUpdateEnvelope,
    examples: {
      'read by the recipient': receipt('ReadReceipt', 'Read', { Type: 'read' }),
      'delivered to the phone': receipt('DeliveryReceipt', 'Delivered', {}),
      'a voice note was played': receipt('ReadReceipt', 'Played', { Type: 'played' }),
      'deleted for everyone': receipt('DeletedMessage', 'Deleted', { Type: 'Deleted', IsFromMe: false }),
      'a vote in a poll': receipt('PollVote', 'Voted', { Type: 'vote', vote: ['Today'] }),
      'pinned for a week': receipt('PinnedMessage', 'Pinned', {
        Type: 'pinned',
        IsFromMe: false,
        pinnedUntil: head.timestamp + 7 * DAY,
      }),
      'kept in a chat of disappearing messages': receipt('KeptMessage', 'Kept', {
        Type: 'kept',
        IsFromMe: false,
      }),
      'the chat disappears after a day': receipt('ChatTimer', 'Changed', {
        Type: 'timer',
        IsFromMe: false,
        seconds: DAY / 1000,
      }),
      'starred on the phone': receipt('StarredMessage', 'Starred', { Type: 'starred' }),
      'an async send was sent': receipt('SendReceipt', 'Sent', { Type: 'sent' }),
      'an async send failed': receipt('SendReceipt', 'Failed', { Type: 'failed', error: 'not_on_network' }),
    },
  },
}
