// The network's refusals where a group is asked for or changed, in the words of the API.

import type { FaultName } from '../../shared/faults.ts'
import { refused } from '../../shared/wire/outcome.ts'
import { type NotDone, notDone } from './action.ts'

const faults: Record<number, FaultName> = {
  401: 'not_admin',
  403: 'not_in_group',
  404: 'group_not_found',
}

/** `member`: the linked account is known to be in the group, so that a 403 speaks of its rank. */
export function groupRefusal(answer: NotDone, member = false) {
  if (answer.kind !== 'refused') return notDone(answer)
  const fault = member && answer.code === 403 ? 'not_admin' : faults[answer.code]
  return fault ? refused(fault, undefined, answer.code) : notDone(answer)
}
