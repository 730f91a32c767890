// Who gets a message, found before it is sent; or why nobody does.

import { isGroup, STATUS } from '../../shared/jid.ts'
import { type Refused, refused, type Unknown } from '../../shared/wire/outcome.ts'
import type { Connection } from '../driver/driver.ts'
import { type ActionContext, type NotDone, notDone } from './action.ts'
import { groupRefusal } from './group-refusals.ts'
import { settingsReady } from './settings-ready.ts'
import { audienceOf, nobodyToSee } from './status-posts.ts'

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
    if (answer.value.length === 0) return { refusal: nobodyToSee, error: nobodyToSee.fault }
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

/** As a failed message shows it: the network's code. */
export const errorOf = (answer: NotDone) => (answer.kind === 'refused' ? `${answer.code}` : 'no answer')

/** Before anything is written 404 says that nobody is there to be written to. */
export const sendRefusal = (answer: NotDone) =>
  answer.kind === 'refused' && answer.code === NOBODY ? refused('not_on_network') : notDone(answer)
const NOBODY = 404
