// Refuses messages to new chats while the network's time lock runs, because each attempt would make the lock longer.

import { isGroup, STATUS } from '../../shared/jid.ts'
import { type Refused, refused } from '../../shared/wire/outcome.ts'
import type { Person } from '../driver/driver.ts'
import type { Session } from '../sessions/session.ts'
import { hasChat } from '../store/chats.ts'

/** Undefined for an existing chat, and without a lock whose end is known. */
export async function lockedOut(
  { intake, store, instance }: Session,
  { id, pn, lid }: Person,
): Promise<Refused | undefined> {
  if (isGroup(id) || id === STATUS) return undefined
  const until = await intake.limits.lockedUntil()
  if (until === undefined) return undefined
  if (await hasChat(store, instance, [id, pn, lid].filter(Boolean))) return undefined
  const sentence = 'The network lets the account write to nobody new at the moment.'
  return { ...refused('operation_refused', sentence), errorKey: 'reachout_timelock', until }
}
