// Converts the network's refusals about groups into faults of the API.

import type { FaultName } from '@msgnet/shared/fault-table.ts'
import { createRefusal } from '@msgnet/shared/wire/outcome.ts'
import type { Session } from '../sessions/host-session.ts'
import { type FailedAnswer, toFailedOutcome } from './action.ts'

const faults: Record<number, FaultName> = {
  401: 'not_admin',
  403: 'not_in_group',
  404: 'group_not_found',
}

/** `member`: the linked account is known to be in the group, so a 403 is about its role. */
export function toGroupRefusal(answer: FailedAnswer, member = false) {
  if (answer.kind !== 'refused') return toFailedOutcome(answer)
  const fault = member && answer.code === 403 ? 'not_admin' : faults[answer.code]
  return fault ? createRefusal(fault, undefined, answer.code) : toFailedOutcome(answer)
}

/** For a member of the group a 403 means that it is no admin; for others that they are not in the group. */
export async function refuseKnownGroup(session: Session, jid: string, answer: FailedAnswer) {
  // Without it the refusal is that of somebody who is not in the group.
  const group = await session.groups.findGroup(jid).catch(() => undefined)
  const own = group?.members.find(session.groups.isOwnMember)
  return toGroupRefusal(answer, own?.role === 'member')
}

/** No group has this invite code, or it was revoked. */
const GONE = 410

export const toInviteRefusal = (answer: FailedAnswer) =>
  answer.kind === 'refused' && answer.code === GONE
    ? createRefusal('group_not_found', undefined, answer.code)
    : toGroupRefusal(answer)
