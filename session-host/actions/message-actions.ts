// Actions on messages: new ones are sent by send-message.ts and media-actions.ts, the others change existing messages.

import { removeOwnerPrefix } from '@msgnet/shared/contract/message-action-requests.ts'
import type { MarkedRead } from '@msgnet/shared/contract/responses/account-responses.ts'
import type { Deleted } from '@msgnet/shared/contract/responses/chat-responses.ts'
import { DAY, SECOND } from '@msgnet/shared/date-time.ts'
import { STATUS_JID } from '@msgnet/shared/jid.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import type { ContentToSend, OwnKey } from '../driver/driver.ts'
import type { Session } from '../sessions/host-session.ts'
import { findDeletion, findOldestMessage, type MessageRow } from '../store/message-store.ts'
import { type ActionContext, type ActionTable, toFailedOutcome } from './action.ts'
import { rewriteEdit } from './address-mentions.ts'
import { albumActions } from './album-actions.ts'
import { mediaActions } from './media-actions.ts'
import { menuActions } from './menu-actions.ts'
import { scheduleActions } from './schedule-actions.ts'
import { findMessages, isInChat, listChatForms } from './search-actions.ts'
import { sendActions, sendMessage } from './send-message.ts'
import { checkSettingsReady } from './settings-ready.ts'

export const messageActions: ActionTable<'message'> = {
  ...sendActions,
  ...menuActions,

  'message.markread': markMessagesRead,

  async 'message.forward'(context, { id, ...request }) {
    const message = await findExisting(context.session, id)
    if (!message?.encoded) return createRefusal('message_not_found')
    return sendMessage(context, request, { kind: 'forward', encoded: message.encoded })
  },

  async 'message.react'(context, { id, text, ...request }) {
    const { session } = context
    const message = await findExisting(session, id)
    if (!message) return createRefusal('message_not_found')
    if (!(await isInChat(session, message, request.number))) {
      return createRefusal('invalid_message', 'id: the message is not in the chat that number names')
    }
    const content: ContentToSend = { kind: 'reaction', target: buildKey(message), text, at: Date.now() }
    return sendMessage(context, request, content)
  },

  async 'message.edit'(context, { id, text: words, messageid }) {
    const message = await findExisting(context.session, id)
    if (!message?.encoded) return createRefusal('message_not_found')
    const refusal = refuseUnlessOwn(message, 'edited')
    if (refusal) return refusal
    if (getChatid(message) === STATUS_JID)
      return createRefusal('invalid_message', 'id: a status post cannot be edited')
    const text = rewriteEdit(message.record, words)
    const content = { target: buildKey(message), encoded: message.encoded, text, at: Date.now() }
    return sendMessage(
      context,
      { number: getChatid(message), messageid },
      { kind: 'edit', ...content },
      { text },
    )
  },

  async 'message.delete'(context, { id, messageid }) {
    const { session } = context
    const message = await findExisting(session, id)
    if (!message) return (await findEarlierDeletion(session, id)) ?? createRefusal('message_not_found')
    const refusal = refuseUnlessOwn(message, 'deleted')
    if (refusal) return refusal
    const content: ContentToSend = { kind: 'delete', target: buildKey(message) }
    const outcome = await sendMessage(context, { number: getChatid(message), messageid }, content)
    if (outcome.kind !== 'done') return outcome
    return createDoneOutcome({ id: message.record.id, timestamp: outcome.result.messageTimestamp })
  },

  async 'message.pin'(context, { id, pin, days, messageid }) {
    const message = await findExisting(context.session, id)
    if (!message) return createRefusal('message_not_found')
    if (message.record.status === 'Failed')
      return createRefusal('invalid_message', 'id: this message was never sent')
    const number = getChatid(message)
    if (number === STATUS_JID) return createRefusal('invalid_message', 'id: a status post cannot be pinned')
    const seconds = pin ? (days * DAY) / SECOND : 0
    const content = { target: buildKey(message), seconds, at: Date.now() }
    return sendMessage(context, { number, messageid }, { kind: 'pin', ...content })
  },

  async 'message.star'({ session, network, deadline }, { id, star: starred }) {
    const message = await findExisting(session, id)
    if (!message) return createRefusal('message_not_found')
    if (!network) return createRefusal('not_connected')
    const notReady = await checkSettingsReady(network, deadline)
    if (notReady) return notReady
    const key = buildKey(message)
    const chat = await network.findKnownIds(getChatid(message))
    const answer = await network.settings.setStarred(chat, key, starred, deadline)
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    const { messageid, fromMe } = key
    await session.settings.applyStar({ kind: 'star', chat, messageid, fromMe, starred })
    return createDoneOutcome({ response: starred ? 'Message starred' : 'Star removed' })
  },

  async 'message.presence'({ session, network, deadline }, { number, presence, delay: ms = 0 }) {
    if (!network) return createRefusal('not_connected')
    session.timedPresence.cancel(number)
    const sent = await network.showPresence(number, presence, deadline)
    const answer = sent.kind === 'done' ? await network.confirmRead(deadline) : sent
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    if (presence !== 'paused' && ms > 0)
      session.timedPresence.endLater(number, { presence, ms }, () => session.network)
    return createDoneOutcome({ shown: true })
  },

  'message.find': findMessages,
  'message.history': requestHistory,
  'message.recover': recoverMessage,
  ...mediaActions,
  ...albumActions,
  ...scheduleActions,
}

/** The phone needs a message that it knows, to send those before it. */
async function requestHistory(
  { session, network, deadline }: ActionContext,
  { number, before: id, count }: ActionInput<'message.history'>,
): Promise<Outcome<{ requested: true }>> {
  if (!network) return createRefusal('not_connected')
  const chatids = await listChatForms(session, number)
  const message =
    id === undefined
      ? await findOldestMessage(session.store, session.instance, chatids)
      : await session.intake.findMessage(id)
  if (!message || message.change || !chatids.includes(message.chatid))
    return createRefusal('message_not_found', 'The chat has no such message from which to go back.')
  const { fromMe, chatid, at } = message
  const before = { messageid: message.messageid, chatid, fromMe, at }
  const answer = await network.requestHistory({ before, count }, deadline)
  return answer.kind === 'done' ? createDoneOutcome({ requested: true as const }) : toFailedOutcome(answer)
}

/** Asks the phone once more for a message that was reported as undecryptable. */
async function recoverMessage(
  { session, network, deadline }: ActionContext,
  { id }: ActionInput<'message.recover'>,
): Promise<Outcome<{ requested: true }>> {
  const { intake } = session
  const lost = intake.lost.find(id)
  if (!lost) {
    const isReadable = (await intake.findMessage(id)) !== undefined
    return isReadable
      ? createRefusal('invalid_message', 'id: this message was decrypted')
      : createRefusal('message_not_found')
  }
  if (!network) return createRefusal('not_connected')
  const answer = await intake.lost.ask(lost, network, deadline)
  return answer.kind === 'done' ? createDoneOutcome({ requested: true as const }) : toFailedOutcome(answer)
}

/** Undefined for a deleted message, and for one that only changes another message. */
async function findExisting(session: Session, id: string): Promise<MessageRow | undefined> {
  const row = await session.intake.findMessage(id)
  return row && row.record.status !== 'Deleted' && !row.change ? row : undefined
}

/** For an own message that is deleted already: the answer of the first deletion. */
async function findEarlierDeletion(session: Session, id: string): Promise<Outcome<Deleted> | undefined> {
  const row = await session.intake.findMessage(id)
  if (!row?.record.fromMe || row.record.status !== 'Deleted' || row.change) return
  const deletion = await findDeletion(session.store, row)
  return deletion && createDoneOutcome({ id: row.record.id, timestamp: deletion.messageTimestamp })
}

function refuseUnlessOwn({ record }: MessageRow, done: string) {
  if (!record.fromMe) return createRefusal('invalid_message', `id: only own messages can be ${done}`)
  if (record.status === 'Failed') return createRefusal('invalid_message', 'id: this message was never sent')
  return undefined
}

const buildKey = ({ messageid, record }: MessageRow): OwnKey => {
  const { fromMe, chatid, sender, isGroup } = record
  return { messageid, fromMe, chatid, sender, isGroup }
}

const getChatid = ({ record }: MessageRow) => record.chatid

/** As many as possible, with a result for each. */
async function markMessagesRead(
  { session, network, deadline, log, chats }: ActionContext,
  { id: ids }: ActionInput<'message.markread'>,
): Promise<Outcome<MarkedRead>> {
  if (!network) return createRefusal('not_connected')
  const stored = await Promise.all(ids.map((id) => session.intake.findMessage(removeOwnerPrefix(id))))
  const found = stored.map((row) =>
    row && chats?.includes(row.record.chatid, row.record.chatlid) === false ? undefined : row,
  )
  const received = found.filter((row): row is MessageRow => row !== undefined && !row.fromMe)
  if (received.length > 0) {
    const answer = await network.markRead(
      received.map(({ messageid, chatid, record: { sender, isGroup } }) => ({
        messageid,
        chatid,
        sender,
        isGroup,
      })),
      deadline,
    )
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    // The network has marked them read, so a failure of our own store is only logged.
    await session.intake
      .markRead(received.map(({ messageid }) => messageid))
      .catch((error) => log.error({ error }, 'failed to store messages as read'))
  }
  const results: MarkedRead['results'] = ids.map((message_id, index) => {
    const row = found[index]
    if (!row) return { message_id, status: 'failed', error: 'message_not_found' }
    if (row.fromMe) return { message_id, status: 'failed', error: 'invalid_message' }
    return { message_id, status: 'success', error: '' }
  })
  return createDoneOutcome({ results })
}
