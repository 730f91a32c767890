// What a row of the table of actions is, and what it is given.

import type { ActionInput, ActionName, ActionResult } from '../../shared/wire/actions.ts'
import { type Outcome, refused, unknown } from '../../shared/wire/outcome.ts'
import type { Answer } from '../driver/driver.ts'
import type { Session } from '../sessions/session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Parcels } from './parcels.ts'

export interface ActionContext {
  session: Session
  sessions: Sessions
  parcels: Parcels
  /** Aborted a little before the caller is told that nothing is known. */
  deadline: AbortSignal
}

export type Action<Name extends ActionName> = (
  context: ActionContext,
  input: ActionInput<Name>,
) => Promise<Outcome<ActionResult<Name>>>

/** The rows of one chapter: `session`, `message`, `group`, `chat`, `call`. */
export type ActionTable<Chapter extends string> = {
  [Name in Extract<ActionName, `${Chapter}.${string}`>]: Action<Name>
}

/** An answer of the network that is not "done", as an outcome. */
export const notDone = (answer: Exclude<Answer<unknown>, { kind: 'done' }>) =>
  answer.kind === 'refused'
    ? refused('operation_refused', answer.message, answer.code)
    : unknown(answer.message)
