// What a session can be asked to do with a chat.

import { limits } from '../../shared/contract/version.ts'
import { done, refused } from '../../shared/wire/outcome.ts'
import type { Answer, Connection } from '../driver/driver.ts'
import type { Session } from '../sessions/session.ts'
import { type ActionTable, notDone } from './actions.ts'

export const chatActions: ActionTable<'chat'> = {
  async 'chat.read'({ session, deadline }, { number, read }) {
    const { network } = session
    if (!network) return refused('not_connected')
    // The network knows no way to mark a chat unread that we support.
    if (!read) return done({ marked: 0 })
    const answer = await markChatRead(session, network, number, deadline)
    return answer.kind === 'done' ? done({ marked: answer.value }) : notDone(answer)
  },
}

/** Answers how many messages were marked. */
export async function markChatRead(
  session: Session,
  network: Connection,
  chat: string,
  deadline: AbortSignal,
): Promise<Answer<number>> {
  const { id, pn, lid } = await network.knownAs(chat)
  const unread = await session.intake.unread([id, pn, lid], limits.chatReadMessages)
  if (unread.length === 0) return { kind: 'done', value: 0 }
  const answer = await network.markRead(
    unread.map(({ messageid, chatid, record: { sender, isGroup } }) => ({
      messageid,
      chatid,
      sender,
      isGroup,
    })),
    deadline,
  )
  if (answer.kind !== 'done') return answer
  await session.intake.seen(unread.map(({ messageid }) => messageid))
  return { kind: 'done', value: unread.length }
}
