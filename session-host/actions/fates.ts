// Messages whose sending ended as unknown: what becomes of one later is the outcome of the act that sent it.

import type { MessageRecord } from '../../shared/contract/message.ts'
import type { ActionName } from '../../shared/wire/actions.ts'
import { done, type Outcome, refused } from '../../shared/wire/outcome.ts'
import { type Log, reason } from '../log.ts'
import type { Journal } from '../store/journal.ts'
import { refusedBy } from './action.ts'

export interface Fates {
  /** The act that sent it has ended, and nobody knows how. */
  wonder(messageid: string, act: { id: string; action: string }): void
  /** The instance is ours from now on, with what another host wondered about. */
  inherit(instance: string): Promise<void>
  /** What is known of a message now, whoever told it. */
  became(record: MessageRecord): void
  /** Who is told of an outcome that came to light. */
  tell(teller: (id: string, outcome: Outcome) => void): void
}

export async function makeFates(journal: Journal, log: Log): Promise<Fates> {
  const open = new Map<string, { id: string; action: string }>()
  async function load(instance?: string): Promise<void> {
    for (const { messageid, id, action } of await journal.wondering(instance))
      open.set(messageid, { id, action })
  }
  await load()
  let tell: (id: string, outcome: Outcome) => void = () => undefined

  async function close(id: string, outcome: Outcome): Promise<void> {
    await journal.comeToLight(id, outcome)
    tell(id, outcome)
  }

  return {
    wonder: (messageid, act) => void open.set(messageid, act),
    inherit: load,
    became(record) {
      const act = open.get(record.messageid)
      if (!act || record.status === 'Pending') return
      open.delete(record.messageid)
      close(act.id, outcomeOf(act.action as ActionName, record)).catch((thrown) =>
        log.error({ act: act.id, err: thrown }, `an outcome is not kept: ${reason(thrown)}`),
      )
    },
    tell(teller) {
      tell = teller
    },
  }
}

function outcomeOf(action: ActionName, record: MessageRecord): Outcome {
  if (record.status === 'Failed') {
    const code = Number(record.error)
    return Number.isInteger(code) && code > 0 ? refusedBy(code) : refused('operation_refused')
  }
  if (action !== 'message.delete') return done(record)
  return done({ id: `${record.owner}:${record.content.target}`, timestamp: record.messageTimestamp })
}
