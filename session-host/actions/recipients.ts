// Finds the recipient of a message before it is sent, or the reason why it cannot be sent.

import { isGroup, STATUS } from '../../shared/jid.ts'
import { type Refused, refused, type Unknown } from '../../shared/wire/outcome.ts'
import type { Connection } from '../driver/driver.ts'
import { type ActionContext, type NotDone, notDone } from './action.ts'
import { groupRefusal } from './group-refusals.ts'
import { settingsReady } from './settings-ready.ts'
import { audienceOf, noAudience } from './status-posts.ts'

/** `lid` of the person, `audience` of a status post; or why it cannot be sent. */
export async function findRecipient(
  { session, deadline }: ActionContext,
  network: Connection,
  number: string,
): Promise<{ lid: string; audience?: string[] } | { refusal: Refused | Unknown; error: string }> {
  if (number === STATUS) {
    const notReady = await settingsReady(network, deadline)
    if (notReady) return { refusal: notReady, error: notReady.fault }
    const answer = await audienceOf(session, network, deadline)
    if (answer.kind !== 'done') return { refusal: notDone(answer), error: errorOf(answer) }
    if (answer.value.length === 0) return { refusal: noAudience, error: noAudience.fault }
    return { lid: '', audience: answer.value }
  }
  if (isGroup(number)) {
    const group = await session.groups.ready(network, number, deadline)
    return group.kind === 'done' ? { lid: '' } : { refusal: groupRefusal(group), error: errorOf(group) }
  }
  const person = await network.findAccount(number, deadline)
  if (person.kind === 'done') return { lid: person.value.lid }
  return { refusal: sendRefusal(person), error: errorOf(person) }
}

/** The error of a failed message: the network's code, or what prevented it. */
export function errorOf(answer: NotDone): string {
  if (answer.kind === 'refused') return `${answer.code}`
  return answer.kind === 'prevented' ? answer.by : 'no answer'
}

/** 404 means that the number has no account. */
export const sendRefusal = (answer: NotDone) =>
  answer.kind === 'refused' && answer.code === NOT_FOUND ? refused('not_on_network') : notDone(answer)
const NOT_FOUND = 404
