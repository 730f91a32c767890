// Actions on chats.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { ChatSubscribed, TextResponse } from '@msgnet/shared/contract/responses/chat-responses.ts'
import { isGroup } from '@msgnet/shared/jid.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import { type ActionContext, type ActionTable, toFailedOutcome } from './action.ts'
import { chatSettingActions } from './chat-setting-actions.ts'
import { checkNumbers } from './check-numbers.ts'
import { findRecipient } from './find-recipient.ts'
import { setGroupTimer } from './group-setting-actions.ts'
import { markChatRead } from './mark-chat-read.ts'
import { findChats } from './search-actions.ts'
import { sendMessage } from './send-message.ts'
import { describeTimer } from './unknown-outcomes.ts'

export const chatActions: ActionTable<'chat'> = {
  async 'chat.read'({ session, network, deadline, log }, { number, read }) {
    if (!network) return createRefusal('not_connected')
    // Marking a chat unread is not supported.
    if (!read) return createDoneOutcome({ marked: 0 })
    const answer = await markChatRead({ session, network, deadline, log }, number)
    return answer.kind === 'done' ? createDoneOutcome({ marked: answer.value }) : toFailedOutcome(answer)
  },

  'chat.subscribe': subscribePresence,
  'chat.ephemeral': setTimer,
  'chat.find': findChats,
  'chat.check': checkNumbers,
  ...chatSettingActions,
}

/** A group has a timer of its own; to a person it is a message. */
async function setTimer(
  context: ActionContext,
  { number, seconds, messageid }: ActionInput<'chat.ephemeral'>,
): Promise<Outcome<TextResponse>> {
  if (isGroup(number)) {
    const changed = await setGroupTimer(context, number, seconds)
    return changed.kind === 'done' ? createDoneOutcome(describeTimer(seconds)) : changed
  }
  const request = { number, messageid }
  const sent = await sendMessage(context, request, { kind: 'timer', seconds, at: Date.now() })
  return sent.kind === 'done' ? createDoneOutcome(describeTimer(seconds)) : sent
}

async function subscribePresence(
  context: ActionContext,
  { number, subscribe }: ActionInput<'chat.subscribe'>,
): Promise<Outcome<ChatSubscribed>> {
  const { session, network, deadline } = context
  if (!network) return createRefusal('not_connected')
  const { online } = session.state.row
  if (!subscribe) {
    const subscriptions = await session.presence.storeChat(await network.findKnownIds(number), false)
    return createDoneOutcome({ response: 'Unsubscribed', subscriptions, online })
  }
  const recipient = await findRecipient(context, network, number)
  if ('refusal' in recipient) return recipient.refusal
  const chat = { id: number, pn: recipient.pn, lid: recipient.lid }
  if ((await session.presence.countWith(chat)) === undefined)
    return createRefusal('session_conflict', `${limits.maxPresenceChats} chats are subscribed already.`)
  // Stored before, because the network shows the present state at once. A connection that ends meanwhile is followed by a renewal.
  const subscriptions = await session.presence.storeChat(chat, true)
  // Under the other spelling of the number the network knows nobody.
  const sent = await network.subscribePresence(chat.pn || number, deadline)
  const answer = sent.kind === 'done' ? await network.confirmRead(deadline) : sent
  if (answer.kind !== 'done') return toFailedOutcome(answer)
  return createDoneOutcome({ response: 'Subscribed', subscriptions, online })
}
