// Marks messages read by their ids, as many as possible, with a result for each.

import type { MarkedRead } from '../../shared/contract/answers/account.ts'
import { bareMessageId } from '../../shared/contract/message-actions.ts'
import { done, refused } from '../../shared/wire/outcome.ts'
import type { MessageRow } from '../store/messages.ts'
import { type Action, notDone } from './action.ts'

export const markMessagesRead: Action<'message.markread'> = async (
  { session, network, deadline, log },
  { id: ids },
) => {
  if (!network) return refused('not_connected')
  const found = await Promise.all(ids.map((id) => session.intake.find(bareMessageId(id))))
  const received = found.filter((row): row is MessageRow => row !== undefined && !row.fromMe)
  if (received.length > 0) {
    const answer = await network.markRead(
      received.map(({ messageid, chatid, record: { sender, isGroup } }) => ({
        ...{ messageid, chatid, sender, isGroup },
      })),
      deadline,
    )
    if (answer.kind !== 'done') return notDone(answer)
    // The network has marked them read, so a failure of our own store is only logged.
    await session.intake
      .seen(received.map(({ messageid }) => messageid))
      .catch((thrown) => log.error({ err: thrown }, 'messages that were marked read are not stored as read'))
  }
  const results: MarkedRead['results'] = ids.map((message_id, index) => {
    const row = found[index]
    if (!row) return { message_id, status: 'failed', error: 'message_not_found' }
    if (row.fromMe) return { message_id, status: 'failed', error: 'invalid_message' }
    return { message_id, status: 'success', error: '' }
  })
  return done({ results })
}
