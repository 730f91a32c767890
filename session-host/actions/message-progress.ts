// Stores what has become of a message that is being sent. The caller of the send learns it even if our own store fails.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { Prevention, Progress } from '../driver/driver.ts'
import { FencedError } from '../store/fenced-store.ts'
import type { ActionContext } from './action.ts'

/** The error of a message of which nothing has left. */
export const NOT_SENT: Prevention = 'msgnet_unreachable'

/** The send had no effect. */
export async function recordFailure(context: ActionContext, messageid: string, error: string): Promise<void> {
  const { timed } = context
  if (timed?.kind === 'due' && !(await timed.hasBegun())) timed.error = error
  else await recordProgress(context, messageid, 'Failed', error)
}

/** Undefined when the store fails. */
export const recordProgress = (
  { session, log }: ActionContext,
  messageid: string,
  progress: Progress,
  error?: string,
): Promise<MessageRecord | undefined> =>
  session.intake.recordProgress(messageid, progress, error).catch((error): undefined => {
    // Its instance was deleted or taken over meanwhile, which is no fault of anything.
    const level = error instanceof FencedError ? 'info' : 'error'
    log[level]({ error, messageid, progress }, 'failed to store progress of message')
  })

/**
 * Called when a message is stored, before it is sent. Returns what ends it if its send throws: it would be pending for ever. One that may
 * have left is an act without an outcome, and one that is due is tried again.
 */
export function watchThrow(
  context: ActionContext,
  { messageid }: { messageid: string },
): (error: unknown) => Promise<never> {
  const { requests, timed } = context
  const before = requests.effectsLeft
  return async (error) => {
    if (!timed && requests.effectsLeft === before) await recordFailure(context, messageid, NOT_SENT)
    throw error
  }
}
