// Unawaited sends: answered when they are stored; their outcome is reported as an event.

import { MINUTE } from '../../shared/clock.ts'
import type { MessageRecord } from '../../shared/contract/message.ts'
import { done, type Outcome } from '../../shared/wire/outcome.ts'
import type { ActionContext } from './action.ts'

type Work = (context: ActionContext, stored: () => void) => Promise<Outcome<MessageRecord>>

/** Answers `record` as soon as `work` calls `stored`, or the outcome of `work` if it ends before that. */
export function withoutWaiting(
  context: ActionContext,
  record: MessageRecord,
  delay: number,
  work: Work,
): Promise<Outcome<MessageRecord>> {
  const { session, log, keepRunning } = context
  const stored = Promise.withResolvers<Outcome<MessageRecord>>()
  const deadline = AbortSignal.timeout(MINUTE + delay)
  const going = work({ ...context, deadline }, () => stored.resolve(done(record)))
  keepRunning(
    going.then(
      (outcome) => {
        if (outcome.kind === 'unknown') session.intake.reportUnknown(record.messageid)
        stored.resolve(outcome)
      },
      (thrown) => {
        log.error({ messageid: record.messageid, err: thrown }, 'a send that nobody waits for has failed')
        session.intake.reportUnknown(record.messageid)
        stored.reject(thrown)
      },
    ),
  )
  return stored.promise
}
