// Sends messages: each is stored under its id first, then sent to the network, then its progress is stored.

import { setTimeout as wait } from 'node:timers/promises'
import { removeOwnerPrefix } from '@msgnet/shared/contract/message-action-requests.ts'
import { emptyMessage, type MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { isGroup, STATUS_JID } from '@msgnet/shared/jid.ts'
import {
  createDoneOutcome,
  createRefusal,
  type Outcome,
  type RefusedOutcome,
} from '@msgnet/shared/wire/outcome.ts'
import type {
  ChatTimer,
  Connection,
  ContentToSend,
  EncodedMessage,
  Person,
  StoredMessage,
} from '../driver/driver.ts'
import type { Session } from '../sessions/host-session.ts'
import { addExpiry, createRow } from '../sessions/message-records.ts'
import type { NamedFields } from '../sessions/named-people.ts'
import { hasChat } from '../store/chat-store.ts'
import type { MessageRow } from '../store/message-store.ts'
import { type ActionContext, type ActionTable, limitToWhatLeft, toFailedOutcome } from './action.ts'
import { addressMentions, rewriteWords } from './address-mentions.ts'
import { createThrownOutcome, recordEnd } from './end-act.ts'
import { findRecipient, formatSendError, toSendRefusal } from './find-recipient.ts'
import { buildLinkPreview } from './link-thumbnail.ts'
import { markChatRead } from './mark-chat-read.ts'
import { NOT_SENT, recordFailure, recordProgress, watchThrow } from './message-progress.ts'
import { formatVcard } from './vcard.ts'

/** The options of all routes that send, without the message itself. */
export interface SendRequest {
  number: string
  messageid: string
  replyid?: string | undefined
  mentions?: string[] | undefined
  delay?: number | undefined
  readchat?: boolean | undefined
  readmessages?: boolean | undefined
  forward?: boolean | undefined
  async?: boolean | undefined
  track_id?: string | undefined
  track_source?: string | undefined
}

type MessageContext = {
  mentions: string[]
  mentionsAll: boolean
  quoted?: StoredMessage
  forwarded?: boolean
}

/** Completes a message before it is sent: uploads its file to the network. */
type Complete = (network: Connection) => Promise<Outcome<ContentToSend>>

type ContentAction = `message.send${'Text' | 'Location' | 'Event' | 'Contact'}`

/** New messages without a file; `media-actions.ts` has those with one, and `menu-actions.ts` polls and menus. */
export const sendActions: Pick<ActionTable<'message'>, ContentAction> = {
  async 'message.sendText'(context, request) {
    const preview = request.preview && (await buildLinkPreview(context, request.preview, request.parcel))
    return sendNewMessage(context, request, (messageContext) => ({
      kind: 'text',
      text: request.text,
      ...(preview && { preview }),
      ...messageContext,
    }))
  },

  'message.sendLocation': (context, request) =>
    sendNewMessage(context, request, (messageContext) => {
      const { latitude, longitude, name, address } = request
      return { kind: 'location', latitude, longitude, name, address, ...messageContext }
    }),

  'message.sendEvent': (context, request) =>
    sendNewMessage(context, request, (about) => ({ kind: 'event', event: request, ...about })),

  'message.sendContact': (context, request) =>
    sendNewMessage(context, request, (messageContext) => ({
      kind: 'contact',
      displayName: request.fullName,
      vcard: formatVcard(request),
      ...messageContext,
    })),
}

/** Sends the content that `write` builds from the request's mentions and quoted message. */
export async function sendNewMessage<Content extends ContentToSend>(
  context: ActionContext,
  request: SendRequest,
  write: (messageContext: MessageContext) => Content,
  complete?: (network: Connection, content: Content) => Promise<Outcome<ContentToSend>>,
): Promise<Outcome<MessageRecord>> {
  const { session } = context
  const replyid = request.replyid && removeOwnerPrefix(request.replyid)
  const quoted = replyid ? await session.intake.findMessage(replyid) : undefined
  if (request.replyid && !quoted?.encoded) return createRefusal('message_not_found')
  const addressed = await addressMentions(context, request)
  const messageContext: MessageContext = {
    mentions: addressed.mentions,
    mentionsAll: addressed.mentionsAll,
    ...(request.forward && { forwarded: true }),
    ...(quoted?.encoded && { quoted: toQuotedMessage(quoted, quoted.encoded) }),
  }
  const content = rewriteWords(write(messageContext), addressed)
  return sendMessage(context, request, content, {}, complete && ((network) => complete(network, content)))
}

export async function sendMessage(
  context: ActionContext,
  request: SendRequest,
  content: ContentToSend,
  about: Partial<MessageRecord> = {},
  complete?: Complete,
): Promise<Outcome<MessageRecord>> {
  const { session, network } = context
  if (!network) return createRefusal('not_connected')
  const chat = await network.findKnownIds(request.number)
  const timer = await session.intake.timers.find({ chat, isGroup: isGroup(chat.id) })
  const message = network.encode(content, timer)
  if (!message) return createRefusal('invalid_message', 'This kind of message does not allow this.')

  const { timed } = context
  const people = await describePeople(session, network, chat, message)
  const record = buildPendingRecord(session, chat, request, message, people)
  if (timed?.kind === 'scheduled') return timed.store(record)
  const locked = await refuseDuringTimeLock(session, chat)
  if (locked) return locked
  const scheduledFor = timed && { scheduledFor: timed.scheduledFor }
  const pending = { ...record, ...about, ...scheduledFor }
  const row = createRow(pending, session.instance, message.encoded, context.cause)
  // Stored before it is sent, so that a send without an answer can still be named and found.
  // A message with a file is not deferred: the upload bypasses the socket, which would have waited for the write.
  // What was scheduled is stored already, until it begins.
  if (!timed)
    await session.intake.storePending(row, { deferred: !complete, unawaited: request.async === true })
  if (request.async) markWhenLeaving(context, row.record)
  const outgoing = { network, message, record: row.record, complete, timer }
  const failIfUnsent = watchThrow(context, request)
  if (!request.async) return sendPending(context, request, outgoing).catch(failIfUnsent)
  return sendUnawaited(context, row.record, request.delay ?? 0, (later, stored) =>
    sendPending(later, request, { ...outgoing, onStored: stored }),
  )
}

/** The act of an unawaited send ends before the message leaves. */
function markWhenLeaving({ requests, session }: ActionContext, { messageid }: MessageRecord): void {
  const { onLeaving } = requests
  requests.onLeaving = () => {
    onLeaving()
    session.intake.markLeft(messageid)
  }
}

interface Outgoing {
  network: Connection
  message: EncodedMessage
  record: MessageRecord
  complete: Complete | undefined
  /** That of the chat. */
  timer: ChatTimer | undefined
  /** Called when nothing more is needed from the caller: the act ends there. */
  onStored?: () => void
}

async function sendPending(
  context: ActionContext,
  request: SendRequest,
  { network, message, record: pending, complete, timer, onStored }: Outgoing,
): Promise<Outcome<MessageRecord>> {
  const { session, deadline } = context
  const { messageid, number } = request
  if (!complete) onStored?.()
  const recipient = await findRecipient(context, network, number)
  if ('refusal' in recipient) {
    await recordFailure(context, messageid, recipient.error)
    return recipient.refusal
  }
  const { pn, lid, audience } = recipient
  // The account may be registered under another form of the number.
  const record = { ...pending, chatid: pn || pending.chatid, chatlid: pending.chatlid || lid }
  if (record.chatid !== pending.chatid || record.chatlid !== pending.chatlid)
    await session.intake.changePending(record)
  const completed = complete ? await completeMessage(context, network, record, { complete, timer }) : message
  if ('kind' in completed) return completed
  if (complete) onStored?.()
  session.timedPresence.cancel(request.number)
  await showTyping(network, request, deadline)
  if (deadline.aborted) {
    await recordFailure(context, messageid, 'the delay took all the time there was')
    return createRefusal('operation_refused', 'delay is longer than the time this request has.')
  }
  if (context.timed?.kind === 'due') {
    const begun = { ...record, content: describeContent(completed, record) }
    context.timed.prepare(createRow(begun, session.instance, completed.encoded, context.cause))
  }
  // A receipt, or our own message sent back, proves the send as well as the server's acknowledgement.
  const unsubscribe = session.intake.onceProven(messageid, {
    onProven: () => network.confirmSent(messageid),
    outcomeCommit: onStored ? undefined : context.outcomeCommit,
  })
  const answer = await network.send(messageid, number, completed.encoded, deadline, audience)
  if (answer.kind !== 'done') {
    unsubscribe()
    if (answer.kind !== 'unknown') await recordFailure(context, messageid, formatSendError(answer))
    return isGroup(number) ? toFailedOutcome(answer) : toSendRefusal(answer)
  }
  // The message is sent even if our own store or the rest fails.
  const sent = await recordProgress(context, messageid, 'Sent').finally(unsubscribe)
  if (request.readchat || request.readmessages) await markChatReadAfterSend(context, network, number)
  return createDoneOutcome(sent ?? { ...record, status: 'Sent' })
}

/** Uploads and stores the message's file. Returns the whole message, or why it is not sent. */
async function completeMessage(
  context: ActionContext,
  network: Connection,
  record: MessageRecord,
  { complete, timer }: { complete: Complete; timer: ChatTimer | undefined },
): Promise<EncodedMessage | RefusedOutcome> {
  const content = await complete(network)
  const message = content.kind === 'done' ? network.encode(content.result, timer) : undefined
  if (content.kind !== 'done' || !message) {
    const error =
      content.kind === 'refused' ? `${content.providerCode ?? content.fault}` : 'media_unavailable'
    await recordFailure(context, record.messageid, error)
    return content.kind === 'refused' ? content : createRefusal('media_unavailable')
  }
  const completed = { ...record, content: describeContent(message, record) }
  await context.session.intake.changePending(completed, message.encoded)
  return message
}

const describeContent = (
  { decoded }: EncodedMessage,
  { messageTimestamp }: MessageRecord,
): MessageRecord['content'] => addExpiry(decoded.content, decoded, messageTimestamp)

/** A failure here does not change that the message was sent. */
const markChatReadAfterSend = (context: ActionContext, network: Connection, number: string) =>
  markChatRead({ ...context, network }, number).catch((error) =>
    context.log.error({ error }, 'failed to mark chat read'),
  )

const toQuotedMessage = ({ messageid, record }: MessageRow, encoded: Uint8Array): StoredMessage => ({
  messageid,
  sender: record.sender,
  encoded,
})

async function describePeople(
  { intake }: Session,
  network: Connection,
  chat: Person,
  { decoded }: EncodedMessage,
): Promise<NamedFields> {
  const { mentioned = [], quotedAuthor = '' } = decoded
  const ids = [...mentioned, quotedAuthor].filter(Boolean)
  const known = await Promise.all(ids.map((id) => network.findKnownIds(id)))
  return intake.people.describe(
    { ...decoded, chat, sender: chat, isGroup: isGroup(chat.id), fromMe: true },
    known,
  )
}

function buildPendingRecord(
  session: Session,
  chat: Person,
  request: SendRequest,
  { decoded }: EncodedMessage,
  people: NamedFields,
): MessageRecord {
  const { owner, now } = session.state
  const inGroup = isGroup(chat.id)
  const at = Date.now()
  return {
    ...emptyMessage,
    id: `${owner}:${request.messageid}`,
    messageid: request.messageid,
    chatid: chat.pn || chat.id,
    chatlid: chat.lid,
    sender: now.jid,
    sender_pn: now.jid,
    sender_lid: now.lid,
    isGroup: inGroup,
    groupName: inGroup ? session.groups.getName(chat.id) : '',
    fromMe: true,
    messageType: decoded.messageType,
    type: decoded.type,
    mediaType: decoded.mediaType,
    messageTimestamp: at,
    status: 'Pending',
    text: decoded.text,
    quoted: decoded.quoted,
    ...people,
    edited: decoded.type === 'edit' ? decoded.target : '',
    reaction: decoded.reaction,
    content: decoded.type === 'delete' ? { target: decoded.target } : addExpiry(decoded.content, decoded, at),
    owner,
    source: 'api',
    wasSentByApi: true,
    track_id: request.track_id ?? '',
    track_source: request.track_source ?? '',
  }
}

async function showTyping(
  network: Connection,
  { number, delay = 0 }: SendRequest,
  deadline: AbortSignal,
): Promise<void> {
  if (delay === 0) return
  // The typing state is optional: if the network refuses it, the message is sent all the same.
  await network.showTyping(number, 'composing', deadline)
  await wait(delay, undefined, { signal: deadline }).catch(() => undefined)
  await network.showTyping(number, 'paused', deadline)
}

/**
 * Refuses messages to new chats while the network's time lock runs, because each attempt would make the lock longer. Undefined for an
 * existing chat, and without a lock whose end is known.
 */
async function refuseDuringTimeLock(
  { intake, store, instance }: Session,
  { id, pn, lid }: Person,
): Promise<RefusedOutcome | undefined> {
  if (isGroup(id) || id === STATUS_JID) return undefined
  const until = await intake.limits.findTimeLockEnd()
  if (until === undefined) return undefined
  if (await hasChat(store, instance, [id, pn, lid].filter(Boolean))) return undefined
  const sentence = 'At the moment the network does not let the account write to new people.'
  return { ...createRefusal('operation_refused', sentence), errorKey: 'reachout_timelock', until }
}

type Work = (context: ActionContext, onStored: () => void) => Promise<Outcome<MessageRecord>>

/** Returns `record` as soon as `work` calls `onStored`, or the outcome of `work` if it ends before that. The outcome is reported as an event. */
function sendUnawaited(
  context: ActionContext,
  record: MessageRecord,
  delay: number,
  work: Work,
): Promise<Outcome<MessageRecord>> {
  const { action, session, requests, log, registerWork } = context
  const { messageid } = record
  const { promise, resolve } = Promise.withResolvers<Outcome<MessageRecord>>()
  let actHasEnded = false
  const sending = work({ ...context, deadline: AbortSignal.timeout(MINUTE + delay) }, () => {
    actHasEnded = true
    resolve(createDoneOutcome(record))
  })
  const ending = sending.catch(async (error) => {
    const { hasLeft } = requests
    if (!hasLeft) await recordFailure(context, messageid, NOT_SENT)
    return limitToWhatLeft<MessageRecord>(
      createThrownOutcome(error, { hasLeft, log: log.child({ messageid }) }),
      requests,
    )
  })
  registerWork(
    ending.then((outcome) => {
      // Otherwise this is the outcome of the act, which records it.
      if (actHasEnded) recordEnd(session, { action, messageid }, outcome)
      resolve(outcome)
    }),
  )
  return promise
}
