// The table of everything that a session can be asked to do, and the one way to run a row of it.

import {
  type ActionInput,
  type ActionName,
  type ActionResult,
  actionInputs,
} from '../../shared/wire/actions.ts'
import { type Outcome, refused, unknown } from '../../shared/wire/outcome.ts'
import type { Answer } from '../driver/driver.ts'
import type { Session } from '../sessions/session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { callActions } from './calls.ts'
import { chatActions } from './chats.ts'
import { groupActions } from './groups.ts'
import { messageActions } from './messages.ts'
import type { Parcels } from './parcels.ts'
import { sessionActions } from './sessions.ts'

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

const actions: { [Name in ActionName]: Action<Name> } = {
  ...sessionActions,
  ...messageActions,
  ...chatActions,
  ...groupActions,
  ...callActions,
}

export function runAction<Name extends ActionName>(
  name: Name,
  context: ActionContext,
  input: unknown,
): Promise<Outcome> {
  const parsed = actionInputs[name].safeParse(input)
  if (!parsed.success) return Promise.resolve(refused('invalid_body', parsed.error.issues[0]?.message))
  return actions[name](context, parsed.data as ActionInput<Name>)
}

/** An answer of the network that is not "done", as an outcome. */
export const notDone = (answer: Exclude<Answer<unknown>, { kind: 'done' }>) =>
  answer.kind === 'refused'
    ? refused('operation_refused', answer.message, answer.code)
    : unknown(answer.message)
