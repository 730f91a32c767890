// Messages that could not be decrypted: the phone is asked for each once, and what it sends comes late.
// @module-tag slow

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { startWorld, type World } from './world.ts'

const BEN = '5511340000082'
let world: World
let count = 0

beforeAll(async () => {
  world = await startWorld()
  await world.createPhone(BEN, 'Ben')
})
afterAll(() => world.close())

const listMessages = (instance: string): MessageRecord[] =>
  world.edge
    .listEvents(instance, 'messages')
    .map(({ payload }) => (payload as { message: MessageRecord }).message)

/** A device that could not decrypt a message, and whose sender does not repair it. */
async function loseMessage(wish: object = {}) {
  count += 1
  const number = `55113400008${String(count).padStart(2, '0')}9`
  await world.sim('POST', '/phones', { number, ...wish })
  const instance = await world.linkPhone(number)
  await world.sim('POST', '/faults', { kind: 'garble', number, count: 20 })
  const { id } = await world.sim<{ id: string }>('POST', '/messages', {
    from: BEN,
    to: number,
    text: 'hello',
  })
  await until(() => world.edge.listEvents(instance, 'undecryptable').length === 1)
  await world.sim('DELETE', '/faults')
  return { number, instance, id }
}

test('ten seconds after its event the phone is asked for an undecryptable message, which comes late', async () => {
  const { instance, id } = await loseMessage()
  expect(listMessages(instance)).toEqual([])
  await world.clock.moveTime(10 * SECOND)
  await until(() => listMessages(instance).length > 0)
  expect(listMessages(instance)).toMatchObject([
    { messageid: id, text: 'hello', late: true, chatid: `${BEN}@s.msgnet.net` },
  ])
})

test('a phone that does not answer is asked once, also through a restart of the host', async () => {
  const { number, instance } = await loseMessage({ resend: false })
  const countRequests = async () => {
    const { entries } = await world.sim<{ entries: { what: string; number: string }[] }>(
      'GET',
      `/log?number=${number}`,
    )
    return entries.filter(({ what }) => what === 'message').length
  }
  const before = await countRequests()
  await world.restartHost()
  await world.waitUntilLoggedIn(instance)
  await world.clock.moveTime(11 * SECOND)
  await until(async () => (await countRequests()) === before + 1)
  await world.clock.moveTime(60 * SECOND)
  expect(await countRequests()).toBe(before + 1)
})

test('a caller asks once more; an unknown message is 404, and one that was decrypted 400', async () => {
  const { number, instance, id } = await loseMessage({ resend: false })
  const recover = (messageid: string) =>
    world.edge.performAction(instance, 'message.recover', { id: messageid })
  expect(await recover(id)).toMatchObject({ kind: 'done', result: { requested: true } })
  await world.sim('POST', '/phones', { number, resend: true })
  expect(await recover(id)).toMatchObject({ kind: 'done' })
  await until(() => listMessages(instance).length === 1)
  expect(listMessages(instance)).toMatchObject([{ messageid: id, late: true }])
  expect(await recover(id)).toMatchObject({ kind: 'refused', fault: 'invalid_message' })
  expect(await recover('3EB0123456789')).toMatchObject({ kind: 'refused', fault: 'message_not_found' })
})
