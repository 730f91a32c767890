// Tracks messages whose send ended as unknown: what becomes of one later is the late outcome of its act.

import type { MessageRecord } from '../../shared/contract/message-requests.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '../../shared/wire/outcome.ts'
import type { ActionName } from '../../shared/wire/session-actions.ts'
import { describeError, type Log } from '../host-log.ts'
import type { Journal } from '../store/act-journal.ts'
import { refuseByCode } from './action.ts'

interface TrackedAct {
  id: string
  instance: string
  action: string
}

export interface UnknownOutcomes {
  /** Tracks a message whose act has ended with an unknown outcome. */
  trackMessage(messageid: string, act: TrackedAct): void
  /** Loads the outcomes that another host tracked, for an instance that this host takes over. */
  loadTrackedActs(instance: string): Promise<void>
  /** Resolves the act of a message, if it is tracked and `record` shows what became of it. */
  resolveFromRecord(record: MessageRecord): void
  /** Sets the listener that is called with each resolved outcome. */
  onResolved(listener: (known: { id: string; instance: string; outcome: Outcome }) => void): void
}

export async function createUnknownOutcomes(journal: Journal, log: Log): Promise<UnknownOutcomes> {
  const open = new Map<string, TrackedAct>()
  async function loadTracked(instance?: string): Promise<void> {
    for (const { messageid, ...act } of await journal.listUnknown(instance)) open.set(messageid, act)
  }
  await loadTracked()
  let notifyResolved: Parameters<UnknownOutcomes['onResolved']>[0] = () => undefined

  async function resolveAct({ id, instance }: TrackedAct, outcome: Outcome): Promise<void> {
    await journal.resolveOutcome(id, outcome)
    notifyResolved({ id, instance, outcome })
  }

  return {
    trackMessage: (messageid, act) => void open.set(messageid, act),
    loadTrackedActs: loadTracked,
    resolveFromRecord(record) {
      const act = open.get(record.messageid)
      if (!act || record.status === 'Pending') return
      open.delete(record.messageid)
      resolveAct(act, toOutcome(act.action as ActionName, record)).catch((error) =>
        log.error({ act: act.id, err: error }, `an outcome is not kept: ${describeError(error)}`),
      )
    },
    onResolved(listener) {
      notifyResolved = listener
    },
  }
}

/** The outcome of an act, from the record of its message. */
export function toOutcome(action: ActionName, record: MessageRecord): Outcome {
  if (record.status === 'Failed') {
    const code = Number(record.error)
    return Number.isInteger(code) && code > 0 ? refuseByCode(code) : createRefusal('operation_refused')
  }
  if (action !== 'message.delete') return createDoneOutcome(record)
  return createDoneOutcome({
    id: `${record.owner}:${record.content.target}`,
    timestamp: record.messageTimestamp,
  })
}
