// Receipts of the members of a group: an update each, and the state of the message.

import { expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { createTextInput, startWorld } from './world.ts'

const ANNA = '5511300000001'
const MEMBERS = ['5511300000002', '5511300000003', '5511300000004'] as const
const [BEN] = MEMBERS
const jid = (number: string) => `${number}@s.msgnet.net`

test.each(['pn', 'lid'] as const)(
  'each receipt of a member is an update with both ids of the member, and the first one of a kind advances the message (%s)',
  async (addressing) => {
    const world = await startWorld()
    onTestFinished(() => world.close())
    for (const number of MEMBERS)
      await world.sim('POST', '/phones', { number, name: number, autoReceipt: false })
    const instance = await world.linkPhone(ANNA)
    const lids = new Map<string, string>()
    for (const number of MEMBERS)
      lids.set(number, (await world.sim<{ lid: string }>('GET', `/phones/${number}`)).lid)
    const wish = { subject: 'Club', owner: BEN, participants: [ANNA, ...MEMBERS.slice(1)], addressing }
    const { jid: group } = await world.sim<{ jid: string }>('POST', '/groups', wish)
    const input = createTextInput(group, 'who reads me?')
    expect(await world.edge.performAction(instance, 'message.sendText', input)).toMatchObject({
      kind: 'done',
    })
    const id = input.messageid

    const listUpdates = () =>
      world.edge
        .listEvents(instance, 'messages_update')
        .map((event) => JSON.parse(JSON.stringify(event)))
        .filter((event) => JSON.stringify(event).includes(id))
    const readStatus = async () => {
      const found = await world.edge.performAction(instance, 'message.find', { id, limit: 1, offset: 0 })
      return (found as { result: { messages: { status: string }[] } }).result.messages[0]?.status
    }
    let expected = listUpdates().length
    async function receipt(by: string, type: 'delivered' | 'read') {
      await world.sim('POST', `/messages/${id}/receipt`, { by, type })
      expected += 1
      await until(() => listUpdates().length === expected)
      const news = listUpdates().at(-1)
      const update = JSON.stringify(news)
      expect(news.payload.event).toMatchObject({
        Sender: addressing === 'lid' ? lids.get(by) : jid(by),
        sender_pn: jid(by),
        sender_lid: lids.get(by),
      })
      expect(update).toContain(type === 'read' ? 'ReadReceipt' : 'DeliveryReceipt')
      return readStatus()
    }
    expect(await receipt(BEN, 'delivered')).toBe('Delivered')
    expect(await receipt(MEMBERS[1], 'delivered')).toBe('Delivered')
    expect(await receipt(MEMBERS[2], 'delivered')).toBe('Delivered')
    expect(await receipt(MEMBERS[1], 'read')).toBe('Read')
    expect(await receipt(BEN, 'read')).toBe('Read')
    expect(await receipt(MEMBERS[2], 'read')).toBe('Read')
  },
)
