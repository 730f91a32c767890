// The types of an action, its context, and its refusals.

import type { Cause } from '../../shared/trace.ts'
import type { ActionInput, ActionName, ActionResult } from '../../shared/wire/actions.ts'
import { type Outcome, type Refused, refused, type Unknown, unknown } from '../../shared/wire/outcome.ts'
import type { Answer, Connection, Prevention } from '../driver/driver.ts'
import type { Requests } from '../driver/requests.ts'
import type { Log } from '../log.ts'
import type { Session } from '../sessions/session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Settling } from '../sessions/settling.ts'
import type { Transfers } from './transfers.ts'

export interface ActionContext {
  session: Session
  sessions: Sessions
  /** The session's connection, with requests counted for this act; undefined while not logged in. */
  readonly network: Connection | undefined
  requests: Requests
  transfers: Transfers
  /** Aborted shortly before the edge answers the caller that the outcome is unknown. */
  deadline: AbortSignal
  settling: Settling
  /** The request that asked for the act; undefined if the edge did not name it. */
  cause: Cause | undefined
  /** Registers work that continues after the act: a host that stops waits for it as for an act. */
  keepRunning(work: Promise<unknown>): void
  log: Log
}

export type Action<Name extends ActionName> = (
  context: ActionContext,
  input: ActionInput<Name>,
) => Promise<Outcome<ActionResult<Name>>>

/** The actions of one chapter: `session`, `message`, `group`, `chat`, `call`. */
export type ActionTable<Chapter extends string> = {
  [Name in Extract<ActionName, `${Chapter}.${string}`>]: Action<Name>
}

export type NotDone = Exclude<Answer<unknown>, { kind: 'done' }>

/** The network's code for "too often", for every request. */
export const TOO_OFTEN = 429

/** Callers get the network's code; its text goes to the log only. */
export const refusedBy = (code: number): Refused =>
  refused(code === TOO_OFTEN ? 'rate_limited' : 'operation_refused', undefined, code)

/** The outcome for an answer of the network that is not `done`. */
export function notDone(answer: NotDone): Refused | Unknown {
  if (answer.kind === 'refused') return refusedBy(answer.code)
  return answer.kind === 'prevented' ? preventions[answer.by] : unknown()
}

const preventions: Record<Prevention, Refused> = {
  lookup_incomplete: {
    ...refused('msgnet_unreachable', 'The network did not say whether this number has an account.'),
    errorKey: 'lookup_incomplete',
  },
  encryption_failed: {
    ...refused(
      'operation_refused',
      'The message could be encrypted for none of its recipients; nothing was sent.',
    ),
    errorKey: 'encryption_failed',
  },
}
