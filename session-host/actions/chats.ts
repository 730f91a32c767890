// Actions on chats.

import { limits } from '../../shared/contract/version.ts'
import { isGroup, parseNumber, phoneOf } from '../../shared/jid.ts'
import { done, refused } from '../../shared/wire/outcome.ts'
import type { Answer, Connection, Prevention } from '../driver/driver.ts'
import { type ActionContext, type ActionTable, notDone } from './action.ts'
import { chatSettingActions } from './chat-settings.ts'
import { findChats } from './finding.ts'

export const chatActions: ActionTable<'chat'> = {
  async 'chat.read'({ session, network, deadline, log }, { number, read }) {
    if (!network) return refused('not_connected')
    // Marking a chat unread is not supported.
    if (!read) return done({ marked: 0 })
    const answer = await markChatRead({ session, network, deadline, log }, number)
    return answer.kind === 'done' ? done({ marked: answer.value }) : notDone(answer)
  },

  'chat.find': findChats,
  ...chatSettingActions,

  async 'chat.check'({ session, network, deadline }, { numbers }) {
    if (!network) return refused('not_connected')
    const jids = numbers.map(parseNumber)
    const people = [...new Set(jids.filter((jid) => jid !== undefined).filter((jid) => phoneOf(jid) !== ''))]
    const answer = people.length > 0 ? await network.checkNumbers(people, deadline) : noChecks
    if (answer.kind !== 'done') return notDone(answer)
    const found = new Map(answer.value.map((check) => [check.jid, check]))
    const checks = numbers.map(async (query, index) => {
      const jid = jids[index]
      if (jid === undefined) return { ...unchecked, query, error: 'invalid_number' }
      if (isGroup(jid)) {
        const groupName = session.groups.name(jid)
        return { ...unchecked, query, jid, groupName, isInMsgnet: session.groups.knows(jid) }
      }
      const check = found.get(jid)
      if (check) {
        const { person, exists, verifiedName } = check
        const error = exists === undefined ? LEFT_OUT : ''
        const isInMsgnet = exists === true
        return { ...unchecked, query, jid: person.pn, lid: person.lid, isInMsgnet, verifiedName, error }
      }
      // The network cannot be asked about an `@lid`: only a mapping that it sent before is known.
      const { pn, lid } = await network.knownAs(jid)
      return { ...unchecked, query, jid: pn, lid, isInMsgnet: pn !== '' }
    })
    return done(await Promise.all(checks))
  },
}

const noChecks = { kind: 'done', value: [] } as const

/** The network's answer does not mention the number. */
const LEFT_OUT: Prevention = 'lookup_incomplete'

const unchecked = { jid: '', lid: '', isInMsgnet: false, verifiedName: '', groupName: '', error: '' }

/** Answers how many messages were marked. */
export async function markChatRead(
  {
    session,
    network,
    deadline,
    log,
  }: Pick<ActionContext, 'session' | 'deadline' | 'log'> & { network: Connection },
  chat: string,
): Promise<Answer<number>> {
  const { id, pn, lid } = await network.knownAs(chat)
  const unread = await session.intake.unread([id, pn, lid], limits.chatReadMessages)
  if (unread.length === 0) return { kind: 'done', value: 0 }
  const answer = await network.markRead(unread, deadline)
  if (answer.kind !== 'done') return answer
  // The network has marked them read, so a failure of our own store is only logged.
  await session.intake
    .seen(unread.map(({ messageid }) => messageid))
    .catch((thrown) => log.error({ err: thrown }, 'messages that were marked read are not stored as read'))
  return { kind: 'done', value: unread.length }
}
