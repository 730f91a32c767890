// Actions on chats.

import { limits } from '../../shared/contract/limits.ts'
import type { ChatSubscribed } from '../../shared/contract/responses/chat-responses.ts'
import { extractPhone, isGroup, parseNumber } from '../../shared/jid.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '../../shared/wire/outcome.ts'
import type { ActionInput } from '../../shared/wire/session-actions.ts'
import type { Connection, NetworkOutcome, Prevention } from '../driver/driver.ts'
import { type ActionContext, type ActionTable, toFailedOutcome } from './action.ts'
import { chatSettingActions } from './chat-setting-actions.ts'
import { findRecipient } from './find-recipient.ts'
import { findChats } from './search-actions.ts'

export const chatActions: ActionTable<'chat'> = {
  async 'chat.read'({ session, network, deadline, log }, { number, read }) {
    if (!network) return createRefusal('not_connected')
    // Marking a chat unread is not supported.
    if (!read) return createDoneOutcome({ marked: 0 })
    const answer = await markChatRead({ session, network, deadline, log }, number)
    return answer.kind === 'done' ? createDoneOutcome({ marked: answer.value }) : toFailedOutcome(answer)
  },

  'chat.subscribe': subscribePresence,
  'chat.find': findChats,
  ...chatSettingActions,

  async 'chat.check'({ session, network, deadline }, { numbers }) {
    if (!network) return createRefusal('not_connected')
    const jids = numbers.map(parseNumber)
    const people = [
      ...new Set(jids.filter((jid) => jid !== undefined).filter((jid) => extractPhone(jid) !== '')),
    ]
    const answer = people.length > 0 ? await network.checkNumbers(people, deadline) : noChecks
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    const found = new Map(answer.value.map((check) => [check.jid, check]))
    const checks = numbers.map(async (query, index) => {
      const jid = jids[index]
      if (jid === undefined) return { ...unchecked, query, error: 'invalid_number' }
      if (isGroup(jid)) {
        const groupName = session.groups.getName(jid)
        return { ...unchecked, query, jid, groupName, isInMsgnet: session.groups.isKnown(jid) }
      }
      const check = found.get(jid)
      if (check) {
        const { person, exists, verifiedName } = check
        const error = exists === undefined ? LEFT_OUT : ''
        const isInMsgnet = exists === true
        return { ...unchecked, query, jid: person.pn, lid: person.lid, isInMsgnet, verifiedName, error }
      }
      // The network cannot be asked about an `@lid`: only a mapping that it sent before is known.
      const { pn, lid } = await network.findKnownIds(jid)
      return { ...unchecked, query, jid: pn, lid, isInMsgnet: pn !== '' }
    })
    return createDoneOutcome(await Promise.all(checks))
  },
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
  const sent = await network.subscribePresence(number, deadline)
  const answer = sent.kind === 'done' ? await network.confirmRead(deadline) : sent
  if (answer.kind !== 'done') return toFailedOutcome(answer)
  return createDoneOutcome({ response: 'Subscribed', subscriptions, online })
}

const noChecks = { kind: 'done', value: [] } as const

/** The network's answer does not mention the number. */
const LEFT_OUT: Prevention = 'lookup_incomplete'

const unchecked = { jid: '', lid: '', isInMsgnet: false, verifiedName: '', groupName: '', error: '' }

/** Returns how many messages were marked. */
export async function markChatRead(
  {
    session,
    network,
    deadline,
    log,
  }: Pick<ActionContext, 'session' | 'deadline' | 'log'> & { network: Connection },
  chat: string,
): Promise<NetworkOutcome<number>> {
  const { id, pn, lid } = await network.findKnownIds(chat)
  const unread = await session.intake.listUnread([id, pn, lid], limits.maxMarkedMessages)
  if (unread.length === 0) return { kind: 'done', value: 0 }
  const answer = await network.markRead(unread, deadline)
  if (answer.kind !== 'done') return answer
  // The network has marked them read, so a failure of our own store is only logged.
  await session.intake
    .markRead(unread.map(({ messageid }) => messageid))
    .catch((error) => log.error({ error }, 'failed to store messages as read'))
  return { kind: 'done', value: unread.length }
}
