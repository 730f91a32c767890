// The table of everything that a session can be asked to do, and the one way to run a row of it.

import { type ActionInput, type ActionName, actionInputs } from '../../shared/wire/actions.ts'
import { type Outcome, refused } from '../../shared/wire/outcome.ts'
import { accountActions } from './account.ts'
import type { Action, ActionContext } from './action.ts'
import { callActions } from './calls.ts'
import { chatActions } from './chats.ts'
import { contactActions } from './contacts.ts'
import { groupActions } from './groups.ts'
import { labelActions } from './labels.ts'
import { messageActions } from './messages.ts'
import { sessionActions } from './sessions.ts'

const actions: { [Name in ActionName]: Action<Name> } = {
  ...sessionActions,
  ...accountActions,
  ...messageActions,
  ...chatActions,
  ...groupActions,
  ...callActions,
  ...contactActions,
  ...labelActions,
}

export function runAction<Name extends ActionName>(
  name: Name,
  context: ActionContext,
  input: unknown,
): Promise<Outcome> {
  if (!Object.hasOwn(actions, name))
    return Promise.resolve(refused('session_conflict', 'The session host is too old to do this.'))
  const parsed = actionInputs[name].safeParse(input)
  if (!parsed.success)
    return Promise.resolve(refused('invalid_body', 'The session host does not read this request.'))
  return actions[name](context, parsed.data as ActionInput<Name>)
}
