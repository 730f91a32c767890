// What the tests of histories share: linking a phone that has a past, and what is stored and reported of it.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import { until } from '../until.ts'
import { KIND, type World } from './world.ts'

/** Links a device of this phone by QR code, and returns the instance. */
export async function linkWithHistory(
  world: World,
  number: string,
  history: ActionInput<'session.connect'>['history'],
): Promise<string> {
  const instance = crypto.randomUUID()
  const outcome = await world.edge.performAction(instance, 'session.connect', {
    ...KIND,
    ...(history && { history }),
  })
  if (outcome.kind !== 'done' || outcome.result.pairing?.method !== 'qr') throw new Error('no QR')
  await world.sim('POST', `/phones/${number}/scan`, { qr: outcome.result.pairing.qr })
  await world.waitUntilLoggedIn(instance)
  return instance
}

export const waitForHistory = (world: World, instance: string, state: string) =>
  until(() => world.findState(instance)?.history?.state === state, { within: 20_000 })

/** The messages in the events `history`, in their order. */
export const listPast = (world: World, instance: string): MessageRecord[] =>
  world.edge
    .listEvents(instance, 'history')
    .flatMap(({ payload }) => (payload as { event: { messages: MessageRecord[] } }).event.messages)

export async function findMessages(world: World, instance: string, wish: object): Promise<MessageRecord[]> {
  const request = { limit: 100, offset: 0, ...wish }
  const outcome = await world.edge.performAction(instance, 'message.find', request)
  if (outcome.kind !== 'done') throw new Error(JSON.stringify(outcome))
  return outcome.result.messages
}
