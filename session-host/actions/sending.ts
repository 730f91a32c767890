// Sends messages: each is stored under its id first, then sent to the network, then settled.

import { setTimeout as wait } from 'node:timers/promises'
import { EVERYBODY, emptyMessage, type MessageRecord } from '../../shared/contract/message.ts'
import { isGroup } from '../../shared/jid.ts'
import { done, type Outcome, type Refused, refused } from '../../shared/wire/outcome.ts'
import type {
  Connection,
  ContentToSend,
  EncodedMessage,
  GroupMember,
  Person,
  Progress,
  StoredMessage,
} from '../driver/driver.ts'
import { rowOf } from '../sessions/reporting.ts'
import type { Session } from '../sessions/session.ts'
import type { MessageRow } from '../store/messages.ts'
import { type ActionContext, notDone } from './action.ts'
import { withoutWaiting } from './async-sends.ts'
import { markChatRead } from './chats.ts'
import { errorOf, findRecipient, sendRefusal } from './recipients.ts'
import { lockedOut } from './time-lock.ts'

/** The options of all routes that send, beside the message itself. */
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

type Saying = { mentions: string[]; quoted?: StoredMessage; forwarded?: boolean }

/** Completes a message before it is sent: uploads its file to the network. */
type Complete = (network: Connection) => Promise<Outcome<ContentToSend>>

/** Sends the content that `write` builds from the request's mentions and quoted message. */
export async function sendNew<Content extends ContentToSend>(
  context: ActionContext,
  request: SendRequest,
  write: (saying: Saying) => Content,
  complete?: (network: Connection, content: Content) => Promise<Outcome<ContentToSend>>,
): Promise<Outcome<MessageRecord>> {
  const { session } = context
  const quoted = request.replyid ? await session.intake.find(bareId(request.replyid)) : undefined
  if (request.replyid && !quoted?.encoded) return refused('message_not_found')
  const saying: Saying = {
    mentions: await mentioned(context, request),
    ...(request.forward && { forwarded: true }),
    ...(quoted?.encoded && { quoted: storedOf(quoted, quoted.encoded) }),
  }
  const content = write(saying)
  return send(context, request, content, {}, complete && ((network) => complete(network, content)))
}

export async function send(
  context: ActionContext,
  request: SendRequest,
  content: ContentToSend,
  about: Partial<MessageRecord> = {},
  complete?: Complete,
): Promise<Outcome<MessageRecord>> {
  const { session, network } = context
  if (!network) return refused('not_connected')
  const message = network.encode(content)
  if (!message) return refused('invalid_message', 'A message of this kind does not take this.')

  const chat = await network.knownAs(request.number)
  const locked = await lockedOut(session, chat)
  if (locked) return locked
  const pending = { ...pendingRecord(session, chat, request, message), ...about }
  const row = rowOf(pending, session.instance, message.encoded, context.cause)
  // Stored before it is sent, so that a send without an answer can still be named and found.
  // A message with a file is not deferred: the upload bypasses the socket, which would have waited for the write.
  await session.intake.pend(row, { deferred: !complete, unawaited: request.async === true })
  const { record } = row
  const outgoing = { network, message, record, complete }
  if (!request.async) return deliver(context, request, outgoing)
  return withoutWaiting(context, record, request.delay ?? 0, (later, stored) =>
    deliver(later, request, { ...outgoing, stored }),
  )
}

interface Outgoing {
  network: Connection
  message: EncodedMessage
  record: MessageRecord
  complete: Complete | undefined
  /** Called when nothing more is needed from the caller: the act ends there. */
  stored?: () => void
}

async function deliver(
  context: ActionContext,
  request: SendRequest,
  { network, message, record, complete, stored }: Outgoing,
): Promise<Outcome<MessageRecord>> {
  const { session, deadline } = context
  const { messageid, number } = request
  if (!complete) stored?.()
  const recipient = await findRecipient(context, network, number)
  if ('refusal' in recipient) {
    await notSent(context, messageid, recipient.error)
    return recipient.refusal
  }
  const { lid, audience } = recipient
  if (lid && !record.chatlid) await session.intake.amend({ ...record, chatlid: lid })
  const whole = complete ? await completed(context, network, record, lid, complete) : message
  if ('kind' in whole) return whole
  if (complete) stored?.()
  await showTypingFor(network, request, deadline)
  if (deadline.aborted) {
    await notSent(context, messageid, 'the delay took all the time there was')
    return refused('operation_refused', 'delay is longer than the time this request has.')
  }
  // A receipt, or our own message sent back, proves the send as well as the server's acknowledgement.
  const forget = session.intake.onceProven(messageid, {
    proven: () => network.proven(messageid),
    settling: stored ? undefined : context.settling,
  })
  const answer = await network.send(messageid, number, whole.encoded, deadline, audience)
  if (answer.kind !== 'done') {
    forget()
    if (answer.kind !== 'silent') await notSent(context, messageid, errorOf(answer))
    return isGroup(number) ? notDone(answer) : sendRefusal(answer)
  }
  // The message is sent even if our own store or the rest fails.
  const sent = await settled(context, messageid, 'Sent').finally(forget)
  if (request.readchat || request.readmessages) await markReadAfterwards(context, network, number)
  return done(sent ?? { ...record, status: 'Sent' })
}

/** Uploads and stores the message's file. Answers the whole message, or why it is not sent. */
async function completed(
  context: ActionContext,
  network: Connection,
  record: MessageRecord,
  lid: string,
  complete: Complete,
): Promise<EncodedMessage | Refused> {
  const content = await complete(network)
  const message = content.kind === 'done' ? network.encode(content.result) : undefined
  if (content.kind !== 'done' || !message) {
    const error = content.kind === 'refused' ? `${content.providerCode ?? content.fault}` : ''
    await notSent(context, record.messageid, error)
    return content.kind === 'refused' ? content : refused('media_unavailable')
  }
  const whole = { ...record, chatlid: record.chatlid || lid, content: message.said.content }
  await context.session.intake.amend(whole, message.encoded)
  return message
}

/** A failure here does not change that the message was sent. */
const markReadAfterwards = (context: ActionContext, network: Connection, number: string) =>
  markChatRead({ ...context, network }, number).catch((thrown) =>
    context.log.error({ err: thrown }, 'the chat of a message that was sent is not marked read'),
  )

/** The send had no effect, and the caller's answer says so even if our own store fails. */
const notSent = (context: ActionContext, messageid: string, error: string) =>
  settled(context, messageid, 'Failed', error)

/** Undefined when the store fails. */
const settled = ({ session, log }: ActionContext, messageid: string, progress: Progress, error?: string) =>
  session.intake.settle(messageid, progress, error).catch((thrown): undefined => {
    log.error({ err: thrown, messageid }, `a message is not kept as ${progress}`)
  })

/** In a group `all` means all known members except ourselves. */
async function mentioned(
  { session, network, deadline }: ActionContext,
  { number, mentions = [] }: SendRequest,
) {
  if (!network || !mentions.includes(EVERYBODY)) return mentions
  const group = await session.groups.ready(network, number, deadline)
  const members = group.kind === 'done' ? group.value.members.filter(isThere(session)) : []
  return [...new Set([...mentions.filter((one) => one !== EVERYBODY), ...members.map(({ id }) => id)])]
}

const isThere = (session: Session) => (member: GroupMember) =>
  member.error === 0 && !session.groups.isOwn(member)

/** Ids are taken with or without their `owner:` prefix. */
const bareId = (id: string) => id.slice(id.indexOf(':') + 1)

const storedOf = ({ messageid, record }: MessageRow, encoded: Uint8Array): StoredMessage => ({
  messageid,
  sender: record.sender,
  encoded,
})

function pendingRecord(
  session: Session,
  chat: Person,
  request: SendRequest,
  { said }: EncodedMessage,
): MessageRecord {
  const { owner, now } = session.state
  const inGroup = isGroup(chat.id)
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
    groupName: inGroup ? session.groups.name(chat.id) : '',
    fromMe: true,
    messageType: said.messageType,
    type: said.type,
    mediaType: said.mediaType,
    messageTimestamp: Date.now(),
    status: 'Pending',
    text: said.text,
    quoted: said.quoted,
    edited: said.type === 'edit' ? said.target : '',
    reaction: said.reaction,
    content: said.type === 'delete' ? { target: said.target } : said.content,
    owner,
    source: 'api',
    wasSentByApi: true,
    track_id: request.track_id ?? '',
    track_source: request.track_source ?? '',
  }
}

async function showTypingFor(
  network: Connection,
  { number, delay = 0 }: SendRequest,
  deadline: AbortSignal,
): Promise<void> {
  if (delay === 0) return
  // The typing state is optional: if the network refuses it, the message is sent all the same.
  await network.showPresence(number, 'composing', deadline)
  await wait(delay, undefined, { signal: deadline }).catch(() => undefined)
  await network.showPresence(number, 'paused', deadline)
}
