// Finds the recipient of a message before it is sent, or the reason why it cannot be sent.

import { isGroup, STATUS_JID } from '@msgnet/shared/jid.ts'
import { createRefusal, type RefusedOutcome, type UnknownOutcome } from '@msgnet/shared/wire/outcome.ts'
import type { Connection } from '../driver/driver.ts'
import { type ActionContext, type FailedAnswer, toFailedOutcome } from './action.ts'
import { toGroupRefusal } from './group-refusals.ts'
import { checkSettingsReady } from './settings-ready.ts'
import { findAudience, noAudience } from './status-posts.ts'

/** Both ids of the person, `audience` of a status post; or why it cannot be sent. */
export async function findRecipient(
  { session, deadline }: ActionContext,
  network: Connection,
  number: string,
): Promise<
  | { pn: string; lid: string; audience?: string[] }
  | { refusal: RefusedOutcome | UnknownOutcome; error: string }
> {
  if (number === STATUS_JID) {
    const notReady = await checkSettingsReady(network, deadline)
    if (notReady) return { refusal: notReady, error: notReady.fault }
    const answer = await findAudience(session, network, deadline)
    if (answer.kind !== 'done') return { refusal: toFailedOutcome(answer), error: formatSendError(answer) }
    if (answer.value.length === 0) return { refusal: noAudience, error: noAudience.fault }
    return { pn: '', lid: '', audience: answer.value }
  }
  if (isGroup(number)) {
    const group = await session.groups.findOrRequest(network, number, deadline)
    return group.kind === 'done'
      ? { pn: '', lid: '' }
      : { refusal: toGroupRefusal(group), error: formatSendError(group) }
  }
  const person = await network.findAccount(number, deadline)
  if (person.kind === 'done') return { pn: person.value.pn, lid: person.value.lid }
  return { refusal: toSendRefusal(person), error: formatSendError(person) }
}

/** The error of a failed message: the network's code, or what prevented it. */
export function formatSendError(answer: FailedAnswer): string {
  if (answer.kind === 'refused') return `${answer.code}`
  return answer.kind === 'prevented' ? answer.by : 'no response'
}

/** 404 means that the number has no account. */
export const toSendRefusal = (answer: FailedAnswer) =>
  answer.kind === 'refused' && answer.code === NOT_FOUND
    ? createRefusal('not_on_network')
    : toFailedOutcome(answer)
const NOT_FOUND = 404
