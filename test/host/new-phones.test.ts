// Members of groups who change their phones, and phones that request a message again: each gets it alone, with the key of the group.
// @module-tag slow

import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { Client } from '../wire/client.ts'
import { createTextInput, startWorld } from './world.ts'

const ANNA = '5511300000001'
const BEN = '5511300000002'
const CARL = '5511300000003'
const DORA = '5511300000004'
const FORMS = ['pn', 'lid'] as const
type Form = (typeof FORMS)[number]

interface Seen {
  id: string
  text: string
}

/** Anna's instance in a group of Ben's, with Carl, who has a linked device. */
async function openGroup(addressing: Form) {
  const world = await startWorld()
  onTestFinished(() => world.close())
  for (const number of [BEN, CARL, DORA]) await world.createPhone(number, number)
  const instance = await world.linkPhone(ANNA)
  const carl = new Client(() => world.simulator.networkUrl)
  onTestFinished(() => carl.end())
  carl.connect()
  await world.sim('POST', `/phones/${CARL}/scan`, { qr: await carl.waitForQr() })
  await carl.waitForClose()
  await carl.goOnline()
  const wish = { subject: 'Club', owner: BEN, participants: [ANNA, CARL], addressing }
  const { jid: group } = await world.sim<{ jid: string }>('POST', '/groups', wish)
  const inbox = async (number: string) =>
    (await world.sim<{ messages: Seen[] }>('GET', `/phones/${number}/inbox`)).messages
  return {
    world,
    instance,
    carl,
    group,
    inbox,
    async send(text: string): Promise<string> {
      const input = createTextInput(group, text)
      expect(await world.edge.performAction(instance, 'message.sendText', input)).toMatchObject({
        kind: 'done',
      })
      return input.messageid
    },
    waitForRead: (number: string, id: string) =>
      until(async () => (await inbox(number)).find((one) => one.id === id)),
    /** What the network sent before has been read by the host. */
    async waitForNews() {
      const wish = { from: DORA, to: ANNA, text: 'news' }
      const { id } = await world.sim<{ id: string }>('POST', '/messages', wish)
      await until(() =>
        world.edge.listEvents(instance, 'messages').some((event) => JSON.stringify(event).includes(id)),
      )
    },
    /** How often the network was given a message. */
    countSends: async (id: string) => {
      type Log = { entries: { what: string; id?: string }[] }
      const { entries } = await world.sim<Log>('GET', `/log?number=${ANNA}`)
      return entries.filter((entry) => entry.what === 'message' && entry.id === id).length
    },
    hadByCarl: (id: string) => carl.messages.filter(({ key }) => key.id === id),
  }
}

test.each(FORMS)(
  'a member with a new phone reads the next message, even if its retries are lost (%s)',
  async (form) => {
    const { world, send, waitForRead, waitForNews, group } = await openGroup(form)
    await waitForRead(BEN, await send('to the old phone'))
    await world.sim('POST', `/phones/${BEN}/reinstall`, { retries: false })
    await waitForNews()
    const next = await send('to the new phone')
    expect(await waitForRead(BEN, next)).toMatchObject({ chat: group, text: 'to the new phone' })
    await waitForRead(BEN, await send('and one more'))
  },
)

test.each(FORMS)(
  'a phone that was changed while the instance was away reads the next message (%s)',
  async (form) => {
    const { world, send, waitForRead, waitForNews } = await openGroup(form)
    await waitForRead(BEN, await send('to the old phone'))
    await world.sim('POST', '/faults', { kind: 'unreachable', number: ANNA })
    await world.sim('POST', '/faults', { kind: 'close', number: ANNA, count: 1 })
    await until(async () => {
      const { companions } = await world.sim<{ companions: { online: boolean }[] }>('GET', `/phones/${ANNA}`)
      return companions.every(({ online }) => !online)
    })
    await world.sim('POST', `/phones/${BEN}/reinstall`, { retries: false })
    await world.sim('DELETE', '/faults')
    await waitForNews()
    await waitForRead(BEN, await send('to the new phone'))
  },
)

test.each(FORMS)(
  'a message that a phone requests again goes to it alone, with the key of the group (%s)',
  async (form) => {
    const { world, send, waitForRead, hadByCarl, countSends, carl } = await openGroup(form)
    const first = await send('to the old phone')
    await waitForRead(BEN, first)
    await carl.waitForText(first)
    // Nobody tells the instance of the new phone.
    await world.sim('POST', '/faults', { kind: 'lost_notice', number: ANNA })
    await world.sim('POST', `/phones/${BEN}/reinstall`, {})
    const second = await send('to the new phone')
    await waitForRead(BEN, second)
    const third = await send('in the key of the group')
    await waitForRead(BEN, third)
    await carl.waitForText(third)
    expect([first, second, third].map((id) => hadByCarl(id).length)).toEqual([1, 1, 1])
    expect([await countSends(first), await countSends(second), await countSends(third)]).toEqual([1, 2, 1])
  },
)

test.each(FORMS)('a message that was deleted is not sent again (%s)', async (form) => {
  const { world, instance, send, carl, group, hadByCarl } = await openGroup(form)
  const [gone, stays] = [await send('gone'), await send('stays')]
  for (const id of [gone, stays]) await carl.waitForText(id)
  const deletion = { id: gone, messageid: createTextInput(group, '').messageid }
  expect(await world.edge.performAction(instance, 'message.delete', deletion)).toMatchObject({ kind: 'done' })
  const anna = await world.sim<{ lid: string; companions: { device: number }[] }>('GET', `/phones/${ANNA}`)
  const [user] = (form === 'lid' ? anna.lid : ANNA).split('@')
  const server = form === 'lid' ? 'lid' : 's.whatsapp.net'
  const participant = `${user}:${anna.companions[0]?.device}@${server}`
  for (const id of [gone, stays]) {
    const t = String(Math.floor(Date.now() / 1000))
    await carl.socket.sendNode({
      tag: 'receipt',
      attrs: { id, t, type: 'retry', to: group, participant },
      content: [{ tag: 'retry', attrs: { count: '1', id, t, v: '1' } }],
    })
  }
  await until(() => hadByCarl(stays).length === 2)
  expect(hadByCarl(gone)).toHaveLength(1)
})
