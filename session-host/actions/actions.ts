// The table of all actions.

import type { ActionName } from '../../shared/wire/actions.ts'
import { accountActions } from './account.ts'
import type { Action } from './action.ts'
import { callActions } from './calls.ts'
import { chatActions } from './chats.ts'
import { contactActions } from './contacts.ts'
import { groupActions } from './groups.ts'
import { labelActions } from './labels.ts'
import { messageActions } from './messages.ts'
import { sessionActions } from './sessions.ts'

export const actions: { [Name in ActionName]: Action<Name> } = {
  ...sessionActions,
  ...accountActions,
  ...messageActions,
  ...chatActions,
  ...groupActions,
  ...callActions,
  ...contactActions,
  ...labelActions,
}
