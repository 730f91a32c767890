// A device that could not read a message asks for it once more: it is told what was sent to it, and nothing else.

import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { Client } from '../wire/client.ts'
import { sentText, startWorld } from './world.ts'

const ANNA = '5511300000001'
const BEN = '5511300000002'
const CARL = '5511300000003'

interface Phone {
  jid: string
  lid: string
  companions: { device: number }[]
}

test.each(['pn', 'lid'] as const)(
  'nobody is sent again what was sent to somebody else, or what somebody else has written (%s)',
  async (form) => {
    const world = await startWorld()
    onTestFinished(() => world.close())
    await world.phone(BEN, 'Ben')
    await world.phone(CARL, 'Carl')
    const instance = await world.linked(ANNA)
    const carl = new Client(() => world.simulator.networkUrl)
    onTestFinished(() => carl.end())
    carl.connect()
    await world.sim('POST', `/phones/${CARL}/scan`, { qr: await carl.qr() })
    await carl.closed()
    await carl.online()

    const toBen = sentText(BEN, 'for Ben alone')
    const toCarl = sentText(CARL, 'for Carl')
    for (const text of [toBen, toCarl])
      expect(await world.edge.act(instance, 'message.sendText', text)).toMatchObject({ kind: 'done' })
    const { id: ofBen } = await world.sim<{ id: string }>('POST', '/messages', {
      ...{ from: BEN, to: ANNA, text: 'for Anna alone' },
    })
    await until(() =>
      world.edge.events(instance, 'messages').some((event) => JSON.stringify(event).includes(ofBen)),
    )
    await carl.text(toCarl.messageid)

    const anna = await world.sim<Phone>('GET', `/phones/${ANNA}`)
    const user = (form === 'lid' ? anna.lid : ANNA).split('@')[0]
    const to = `${user}:${anna.companions[0]?.device}@${form === 'lid' ? 'lid' : 's.whatsapp.net'}`
    // Asked in this order, they are answered in this order.
    for (const id of [toBen.messageid, ofBen, toCarl.messageid]) {
      const t = String(Math.floor(Date.now() / 1000))
      await carl.socket.sendNode({
        tag: 'receipt',
        attrs: { id, to, t, type: 'retry' },
        content: [{ tag: 'retry', attrs: { count: '1', id, t, v: '1' } }],
      })
    }
    const had = (messageid: string) => carl.messages.filter(({ key }) => key.id === messageid)
    await until(() => had(toCarl.messageid).length === 2)
    expect(had(toBen.messageid)).toEqual([])
    expect(had(ofBen)).toEqual([])
  },
)
