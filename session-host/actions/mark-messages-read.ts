// Marks messages read by their ids, as many as possible, with a result for each.

import { removeOwnerPrefix } from '../../shared/contract/message-action-requests.ts'
import type { MarkedRead } from '../../shared/contract/responses/account-responses.ts'
import { createDoneOutcome, createRefusal } from '../../shared/wire/outcome.ts'
import type { MessageRow } from '../store/message-store.ts'
import { type Action, toFailedOutcome } from './action.ts'

export const markMessagesRead: Action<'message.markread'> = async (
  { session, network, deadline, log },
  { id: ids },
) => {
  if (!network) return createRefusal('not_connected')
  const found = await Promise.all(ids.map((id) => session.intake.findMessage(removeOwnerPrefix(id))))
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
      .catch((error) => log.error({ err: error }, 'messages that were marked read are not stored as read'))
  }
  const results: MarkedRead['results'] = ids.map((message_id, index) => {
    const row = found[index]
    if (!row) return { message_id, status: 'failed', error: 'message_not_found' }
    if (row.fromMe) return { message_id, status: 'failed', error: 'invalid_message' }
    return { message_id, status: 'success', error: '' }
  })
  return createDoneOutcome({ results })
}
