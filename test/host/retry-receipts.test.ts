// A device that could not read a message requests it once more: it gets the message that was sent to it, and no other.
// @module-tag slow

import { DAY } from '@msgnet/shared/date-time.ts'
import { expect, onTestFinished, test, vi } from 'vitest'
import { until } from '../until.ts'
import { Client } from '../wire/client.ts'
import { createTextInput, startWorld } from './world.ts'

const ANNA = '5511300000001'
const BEN = '5511300000002'
const CARL = '5511300000003'

interface Phone {
  jid: string
  lid: string
  companions: { device: number }[]
}

const FORMS = ['pn', 'lid'] as const

/** Anna's instance, and a device of Carl's that can send any request. */
async function linkAnnaAndCarl() {
  const world = await startWorld()
  onTestFinished(() => world.close())
  await world.createPhone(BEN, 'Ben')
  await world.createPhone(CARL, 'Carl')
  const instance = await world.linkPhone(ANNA)
  const carl = new Client(() => world.simulator.networkUrl)
  onTestFinished(() => carl.end())
  carl.connect()
  await world.sim('POST', `/phones/${CARL}/scan`, { qr: await carl.waitForQr() })
  await carl.waitForClose()
  await carl.goOnline()

  const anna = await world.sim<Phone>('GET', `/phones/${ANNA}`)
  return {
    world,
    instance,
    carl,
    createDeviceJid(form: (typeof FORMS)[number]) {
      const user = (form === 'lid' ? anna.lid : ANNA).split('@')[0]
      return `${user}:${anna.companions[0]?.device}@${form === 'lid' ? 'lid' : 's.whatsapp.net'}`
    },
    /** Requests are answered in their order. */
    async requestRetry(id: string, from: { to: string; participant?: string }) {
      const t = String(Math.floor(Date.now() / 1000))
      await carl.socket.sendNode({
        tag: 'receipt',
        attrs: { id, t, type: 'retry', ...from },
        content: [{ tag: 'retry', attrs: { count: '1', id, t, v: '1' } }],
      })
    },
    had: (messageid: string) => carl.messages.filter(({ key }) => key.id === messageid),
  }
}

test.each(FORMS)(
  'a message is sent again in its own chat only, and only by its author (%s)',
  async (form) => {
    const { world, instance, carl, createDeviceJid, requestRetry, had } = await linkAnnaAndCarl()
    const toBen = createTextInput(BEN, 'for Ben alone')
    const toCarl = createTextInput(CARL, 'for Carl')
    for (const text of [toBen, toCarl])
      expect(await world.edge.performAction(instance, 'message.sendText', text)).toMatchObject({
        kind: 'done',
      })
    const { id: ofBen } = await world.sim<{ id: string }>('POST', '/messages', {
      from: BEN,
      to: ANNA,
      text: 'for Anna alone',
    })
    await until(() =>
      world.edge.listEvents(instance, 'messages').some((event) => JSON.stringify(event).includes(ofBen)),
    )
    await carl.waitForText(toCarl.messageid)

    for (const id of [toBen.messageid, ofBen, toCarl.messageid])
      await requestRetry(id, { to: createDeviceJid(form) })
    await until(() => had(toCarl.messageid).length === 2)
    expect(had(toBen.messageid)).toEqual([])
    expect(had(ofBen)).toEqual([])
  },
)

test.each(FORMS)('a status post is sent again only to people it was sent to (%s)', async (form) => {
  const { world, instance, carl, createDeviceJid, requestRetry, had } = await linkAnnaAndCarl()
  for (const [number, name] of [
    [BEN, 'Ben'],
    [CARL, 'Carl'],
  ] as const)
    expect(await world.edge.performAction(instance, 'contact.add', { phone: number, name })).toMatchObject({
      kind: 'done',
    })
  async function postStatus(type: string, ...numbers: string[]): Promise<string> {
    await world.sim('PATCH', `/phones/${ANNA}/profile`, { statusAudience: { type, numbers } })
    const { text, messageid } = createTextInput('', `for ${type} ${numbers}`)
    const status = { type: 'text', font: 0, text, messageid, parcel: '', mimetype: '' } as const
    expect(await world.edge.performAction(instance, 'message.sendStatus', status)).toMatchObject({
      kind: 'done',
    })
    return messageid
  }
  const forBen = await postStatus('whitelist', BEN)
  const forAll = await postStatus('contacts')
  await carl.waitForText(forAll)

  for (const id of [forBen, forAll])
    await requestRetry(id, { to: 'status@broadcast', participant: createDeviceJid(form) })
  await until(() => had(forAll).length === 2)
  expect(had(forBen)).toEqual([])
})

test.each(['a person', 'a group'])(
  'a message to %s is sent again for thirty days, and not later',
  async (to) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    const { world, instance, carl, createDeviceJid, requestRetry, had } = await linkAnnaAndCarl()
    const wish = { subject: 'Club', owner: CARL, participants: [ANNA, BEN] }
    const chat = to === 'a group' ? (await world.sim<{ jid: string }>('POST', '/groups', wish)).jid : CARL
    const began = Date.now()
    const moveToDay = (day: number) => vi.setSystemTime(began + day * DAY)
    async function send(text: string): Promise<string> {
      const input = createTextInput(chat, text)
      expect(await world.edge.performAction(instance, 'message.sendText', input)).toMatchObject({
        kind: 'done',
      })
      await carl.waitForText(input.messageid)
      return input.messageid
    }
    const request = (id: string) =>
      requestRetry(
        id,
        to === 'a group' ? { to: chat, participant: createDeviceJid('lid') } : { to: createDeviceJid('pn') },
      )
    const first = await send('on the first day')
    moveToDay(2)
    const second = await send('two days later')
    moveToDay(29)
    await request(first)
    await until(() => had(first).length === 2)
    moveToDay(31)
    await request(first)
    await request(second)
    await until(() => had(second).length === 2)
    expect(had(first)).toHaveLength(2)
  },
)
