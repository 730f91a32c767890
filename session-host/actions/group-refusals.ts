// Converts the network's refusals about groups into faults of the API.

import type { FaultName } from '../../shared/faults.ts'
import { refused } from '../../shared/wire/outcome.ts'
import type { Session } from '../sessions/session.ts'
import { type NotDone, notDone } from './action.ts'

const faults: Record<number, FaultName> = {
  401: 'not_admin',
  403: 'not_in_group',
  404: 'group_not_found',
}

/** `member`: the linked account is known to be in the group, so a 403 is about its role. */
export function groupRefusal(answer: NotDone, member = false) {
  if (answer.kind !== 'refused') return notDone(answer)
  const fault = member && answer.code === 403 ? 'not_admin' : faults[answer.code]
  return fault ? refused(fault, undefined, answer.code) : notDone(answer)
}

/** For a member of the group a 403 means that it is no admin; for others that they are not in the group. */
export async function refusalOfKnown(session: Session, jid: string, answer: NotDone) {
  const group = await session.groups.find(jid).catch(() => undefined)
  const own = group?.members.find(session.groups.isOwn)
  return groupRefusal(answer, own?.role === 'member')
}

/** No group has this invite code, or it was revoked. */
const GONE = 410

export const inviteRefusal = (answer: NotDone) =>
  answer.kind === 'refused' && answer.code === GONE
    ? refused('group_not_found', undefined, answer.code)
    : groupRefusal(answer)
