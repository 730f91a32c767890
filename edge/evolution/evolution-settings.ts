// Apart from evolution-creation.ts, because they are a subject of their own: settings of an instance, as far as the gateway has them; those that would change what happens are refused.

import type { Body } from './evolution-bodies.ts'
import { createInvalid } from './evolution-errors.ts'

/** What nothing here does. */
const absent = ['rejectCall', 'alwaysOnline', 'readMessages', 'readStatus'] as const

export function readSettings(body: Body) {
  const wrong = absent.find((name) => body[name] === true)
  if (wrong) throw createInvalid(`instance.${wrong} must be false: it is not supported`)
  return {
    rejectCall: false,
    msgCall: '',
    groupsIgnore: body.groupsIgnore === true,
    alwaysOnline: false,
    readMessages: false,
    readStatus: false,
    syncFullHistory: body.syncFullHistory === true,
  }
}
