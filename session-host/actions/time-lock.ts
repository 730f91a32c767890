// Refuses messages to new chats while the network's time lock runs, because each attempt would make the lock longer.

import { isGroup, STATUS_JID } from '../../shared/jid.ts'
import { createRefusal, type RefusedOutcome } from '../../shared/wire/outcome.ts'
import type { Person } from '../driver/driver.ts'
import type { Session } from '../sessions/host-session.ts'
import { hasChat } from '../store/chat-store.ts'

/** Undefined for an existing chat, and without a lock whose end is known. */
export async function refuseDuringTimeLock(
  { intake, store, instance }: Session,
  { id, pn, lid }: Person,
): Promise<RefusedOutcome | undefined> {
  if (isGroup(id) || id === STATUS_JID) return undefined
  const until = await intake.limits.findTimeLockEnd()
  if (until === undefined) return undefined
  if (await hasChat(store, instance, [id, pn, lid].filter(Boolean))) return undefined
  const sentence = 'The network lets the account write to nobody new at the moment.'
  return { ...createRefusal('operation_refused', sentence), errorKey: 'reachout_timelock', until }
}
