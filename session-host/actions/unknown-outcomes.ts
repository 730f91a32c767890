// Tracks messages whose send ended as unknown: what becomes of one later is the late outcome of its act.

import type { MessageRecord } from '../../shared/contract/message.ts'
import type { ActionName } from '../../shared/wire/actions.ts'
import { done, type Outcome, refused } from '../../shared/wire/outcome.ts'
import { type Log, reason } from '../log.ts'
import type { Journal } from '../store/journal.ts'
import { refusedBy } from './action.ts'

interface TrackedAct {
  id: string
  instance: string
  action: string
}

export interface UnknownOutcomes {
  /** Tracks a message whose act has ended with an unknown outcome. */
  track(messageid: string, act: TrackedAct): void
  /** Loads the outcomes that another host tracked, for an instance that this host takes over. */
  inherit(instance: string): Promise<void>
  /** Resolves the act of a message, if it is tracked and `record` shows what became of it. */
  resolveFrom(record: MessageRecord): void
  /** Sets the listener that is called with each resolved outcome. */
  onResolved(listener: (known: { id: string; instance: string; outcome: Outcome }) => void): void
}

export async function makeUnknownOutcomes(journal: Journal, log: Log): Promise<UnknownOutcomes> {
  const open = new Map<string, TrackedAct>()
  async function load(instance?: string): Promise<void> {
    for (const { messageid, ...act } of await journal.unknown(instance)) open.set(messageid, act)
  }
  await load()
  let resolved: Parameters<UnknownOutcomes['onResolved']>[0] = () => undefined

  async function resolve({ id, instance }: TrackedAct, outcome: Outcome): Promise<void> {
    await journal.resolve(id, outcome)
    resolved({ id, instance, outcome })
  }

  return {
    track: (messageid, act) => void open.set(messageid, act),
    inherit: load,
    resolveFrom(record) {
      const act = open.get(record.messageid)
      if (!act || record.status === 'Pending') return
      open.delete(record.messageid)
      resolve(act, outcomeOf(act.action as ActionName, record)).catch((thrown) =>
        log.error({ act: act.id, err: thrown }, `an outcome is not kept: ${reason(thrown)}`),
      )
    },
    onResolved(listener) {
      resolved = listener
    },
  }
}

/** The outcome of an act, from the record of its message. */
export function outcomeOf(action: ActionName, record: MessageRecord): Outcome {
  if (record.status === 'Failed') {
    const code = Number(record.error)
    return Number.isInteger(code) && code > 0 ? refusedBy(code) : refused('operation_refused')
  }
  if (action !== 'message.delete') return done(record)
  return done({ id: `${record.owner}:${record.content.target}`, timestamp: record.messageTimestamp })
}
