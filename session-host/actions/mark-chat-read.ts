// Marks the unread messages of a chat as read: by itself, or after a message was sent there.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { Connection, NetworkOutcome } from '../driver/driver.ts'
import type { ActionContext } from './action.ts'

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
