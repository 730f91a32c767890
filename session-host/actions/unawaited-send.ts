// Unawaited sends: answered when they are stored; their outcome is reported as an event.

import type { MessageRecord } from '../../shared/contract/message-requests.ts'
import { MINUTE } from '../../shared/date-time.ts'
import { createDoneOutcome, type Outcome } from '../../shared/wire/outcome.ts'
import type { ActionContext } from './action.ts'

type Work = (context: ActionContext, onStored: () => void) => Promise<Outcome<MessageRecord>>

/** Answers `record` as soon as `work` calls `stored`, or the outcome of `work` if it ends before that. */
export function sendUnawaited(
  context: ActionContext,
  record: MessageRecord,
  delay: number,
  work: Work,
): Promise<Outcome<MessageRecord>> {
  const { session, log, registerWork } = context
  const stored = Promise.withResolvers<Outcome<MessageRecord>>()
  const deadline = AbortSignal.timeout(MINUTE + delay)
  const sending = work({ ...context, deadline }, () => stored.resolve(createDoneOutcome(record)))
  registerWork(
    sending.then(
      (outcome) => {
        if (outcome.kind === 'unknown') session.intake.reportUnknown(record.messageid)
        stored.resolve(outcome)
      },
      (error) => {
        log.error({ messageid: record.messageid, err: error }, 'a send that nobody waits for has failed')
        session.intake.reportUnknown(record.messageid)
        stored.reject(error)
      },
    ),
  )
  return stored.promise
}
