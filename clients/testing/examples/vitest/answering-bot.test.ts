// The bot on a whole gateway with a simulated network: what it answers, and what it does when something goes wrong.

import type { AddressInfo } from 'node:net'
import { startLab } from '@msgnet/testing'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { createBot, notify } from './answering-bot.ts'

const lab = await startLab()
afterAll(() => lab.close())

/** An instance whose events go to the bot. */
async function startBot() {
  const shop = await lab.createInstance()
  const bot = createBot(lab.baseUrl, shop.token, lab.receiver.secret)
  await new Promise<void>((resolve) => bot.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void bot.close())
  await lab.forwardTo(`http://127.0.0.1:${(bot.address() as AddressInfo).port}`, shop)
  return shop
}

const readTexts = async (number: string) =>
  (await lab.readInbox(number)).map(({ text }: { text: string }) => text)

test('answers a message', async () => {
  const shop = await startBot()
  const ana = await lab.phone('Ana')
  await ana.write(shop.number, 'hello')
  await expect.poll(() => readTexts(ana.number), { timeout: 60_000 }).toEqual(['You said: hello'])
}, 180_000)

test('answers an event that comes twice once', async () => {
  const shop = await startBot()
  const { messages, from = '' } = await lab.play('an event that comes twice', shop)
  const { judgement, received } = await lab.received(shop)
  const both = received.filter(({ envelope }) => envelope.message?.messageid === messages[0])
  expect(both.map(({ isRepeated, program }) => [isRepeated, program])).toEqual([
    [false, 204],
    [true, 204],
  ])
  expect(judgement).toMatchObject({ wrongSignatures: 0, refusedByProgram: 0 })
  expect(await readTexts(from)).toEqual(['You said: once, please'])
}, 180_000)

test('sends once what the network did not confirm', async () => {
  const shop = await startBot()
  const { to = '' } = await lab.play('a 504 that becomes true', shop)
  const { messageid } = await notify(lab.baseUrl, shop.token, to, 7)
  const isUpdate = async () =>
    (await lab.received(shop)).received.some(({ envelope }) =>
      envelope.event?.MessageIDs?.includes(messageid),
    )
  await expect.poll(isUpdate, { timeout: 60_000 }).toBe(true)
  expect(await readTexts(to)).toEqual(['Order 7 is on its way'])
}, 180_000)
