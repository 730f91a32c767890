// Writing and hearing at the same time: both use the same ratchets, and neither may undo what the other did to them.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { createTextInput, startWorld, type World } from './world.ts'

const ANNA = '5511400000001'
const BEN = '5511400000002'
const TO_BEN = `${BEN}@s.msgnet.net`
const TEXTS = 40
const BURSTS = 30
const BURST = 10

let world: World
let instance: string

beforeAll(async () => {
  world = await startWorld()
  await world.createPhone(BEN)
  instance = await world.linkPhone(ANNA)
})
afterAll(() => world.close())

interface Logged {
  what: string
  id?: string
}

test.each(['pn', 'lid'])(
  'texts in both directions at once, by %s, are encrypted once each and decrypted at once',
  async (addressing) => {
    const written: string[] = []
    const texts = Array.from({ length: TEXTS }, (_, n) => createTextInput(TO_BEN, `${addressing} ${n}`))

    async function writeBursts() {
      for (let burst = 0; burst < BURSTS; burst++) {
        const message = { from: BEN, to: ANNA, text: 'hello', count: BURST, addressing }
        written.push(...(await world.sim<{ ids: string[] }>('POST', '/messages', message)).ids)
      }
    }
    async function sendTexts() {
      for (const text of texts) {
        expect(await world.edge.performAction(instance, 'message.sendText', text)).toMatchObject({
          kind: 'done',
        })
      }
    }
    await Promise.all([writeBursts(), sendTexts()])

    const listReceived = () =>
      new Set(
        world.edge
          .listEvents(instance, 'messages')
          .map(({ payload }) => (payload.message as MessageRecord).messageid),
      )
    // One after the other: how long all of them take together is no matter of this test.
    for (const id of written) await until(() => listReceived().has(id))
    const { messages: inbox } = await world.sim<{ messages: { text: string }[] }>(
      'GET',
      `/phones/${BEN}/inbox`,
    )
    expect(inbox.map(({ text }) => text)).toEqual(expect.arrayContaining(texts.map(({ text }) => text)))

    const { entries } = await world.sim<{ entries: Logged[] }>('GET', '/log')
    const posted = entries.filter(
      ({ what, id }) => what === 'message' && texts.some((text) => text.messageid === id),
    )
    expect(posted).toHaveLength(TEXTS)
    expect(entries.filter(({ what }) => what === 'retry')).toEqual([])
  },
)
