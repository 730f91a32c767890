// What a row of the table of actions is, and what it is given.

import type { Cause } from '../../shared/trace.ts'
import type { ActionInput, ActionName, ActionResult } from '../../shared/wire/actions.ts'
import { type Outcome, type Refused, refused, unknown } from '../../shared/wire/outcome.ts'
import type { Answer, Connection } from '../driver/driver.ts'
import type { Requests } from '../driver/requests.ts'
import type { Log } from '../log.ts'
import type { Session } from '../sessions/session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Settling } from '../sessions/settling.ts'
import type { Transfers } from './transfers.ts'

export interface ActionContext {
  session: Session
  sessions: Sessions
  /** The session's connection, watched for this act; undefined while not logged in. */
  readonly network: Connection | undefined
  requests: Requests
  transfers: Transfers
  /** Aborted a little before the caller is told that nothing is known. */
  deadline: AbortSignal
  settling: Settling
  /** The request that asks for it; undefined where the edge has not said so. */
  cause: Cause | undefined
  /** Goes on when the act has ended: a host that stops waits for it as for an act. */
  keepRunning(work: Promise<unknown>): void
  log: Log
}

export type Action<Name extends ActionName> = (
  context: ActionContext,
  input: ActionInput<Name>,
) => Promise<Outcome<ActionResult<Name>>>

/** The rows of one chapter: `session`, `message`, `group`, `chat`, `call`. */
export type ActionTable<Chapter extends string> = {
  [Name in Extract<ActionName, `${Chapter}.${string}`>]: Action<Name>
}

export type NotDone = Exclude<Answer<unknown>, { kind: 'done' }>

/** The network's word for "too often", whatever was asked. */
export const TOO_OFTEN = 429

/** The network's own words are for the log: callers are told its code. */
export const refusedBy = (code: number): Refused =>
  refused(code === TOO_OFTEN ? 'rate_limited' : 'operation_refused', undefined, code)

/** An answer of the network that is not "done", as an outcome. */
export const notDone = (answer: NotDone) => (answer.kind === 'refused' ? refusedBy(answer.code) : unknown())
