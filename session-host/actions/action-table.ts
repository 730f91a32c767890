// Apart from act-runner.ts, because it imports every chapter of the actions: the table of all of them.

import type { ActionName } from '@msgnet/shared/wire/session-actions.ts'
import { accountActions } from './account-actions.ts'
import type { Action } from './action.ts'
import { callActions } from './call-actions.ts'
import { chatActions } from './chat-actions.ts'
import { contactActions } from './contact-actions.ts'
import { groupActions } from './group-actions.ts'
import { sessionActions } from './host-session-actions.ts'
import { labelActions } from './label-actions.ts'
import { messageActions } from './message-actions.ts'

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
