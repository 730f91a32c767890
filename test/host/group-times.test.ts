// Changes of groups that happened while the device was away are reported with the time at which they happened.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { startWorld, type World } from './world.ts'

const ANNA = '5511630000001'
const BEN = '5511630000002'
/** Seconds, as the network counts. */
const EARLIER = 1_700_000_000

let world: World
let instance: string
beforeAll(async () => {
  world = await startWorld()
  await world.createPhone(BEN, 'Ben')
  instance = await world.linkPhone(ANNA)
})
afterAll(() => world.close())

async function notify(jid: string, change: { tag: string; attrs?: object; content?: object[] }) {
  const { lid } = await world.sim<{ lid: string }>('GET', `/phones/${BEN}`)
  const attrs = { from: jid, id: crypto.randomUUID(), t: `${EARLIER}`, type: 'w:gp2', participant: lid }
  const stanza = { tag: 'notification', attrs: { ...attrs, addressing_mode: 'lid' }, content: [change] }
  await world.sim('POST', '/stanzas', { number: ANNA, stanza })
}

async function findEvent(type: string, name: string) {
  const report = await until(() =>
    world.edge
      .listEvents(instance, 'groups')
      .find(({ payload }) => payload.type === type && (payload.event as { Name?: string }).Name === name),
  )
  return report.payload.event
}

test('a group is renamed, and joined, at the time of the notice', async () => {
  const { jid } = await world.sim<{ jid: string }>('POST', '/groups', {
    subject: 'Club',
    owner: BEN,
    participants: [ANNA],
  })
  await findEvent('JoinedGroup', 'Club')
  await notify(jid, { tag: 'subject', attrs: { subject: 'Renamed', s_t: `${EARLIER}` } })
  expect(await findEvent('Group', 'Renamed')).toMatchObject({ JID: jid, Timestamp: EARLIER * 1000 })

  const id = '120363000000000077'
  const group = {
    id,
    subject: 'Second',
    creation: `${EARLIER - 60}`,
    s_t: `${EARLIER}`,
    addressing_mode: 'lid',
  }
  await notify(`${id}@g.us`, { tag: 'create', content: [{ tag: 'group', attrs: group }] })
  expect(await findEvent('JoinedGroup', 'Second')).toMatchObject({
    JID: `${id}@g.us`,
    Timestamp: EARLIER * 1000,
  })
})

test('a member is added at the time of the notice', async () => {
  const { jid } = await world.sim<{ jid: string }>('POST', '/groups', {
    subject: 'Team',
    owner: BEN,
    participants: [ANNA],
  })
  await findEvent('JoinedGroup', 'Team')
  const attrs = { jid: '123456789012345@lid', phone_number: '5511630000003@s.whatsapp.net' }
  await notify(jid, { tag: 'add', content: [{ tag: 'participant', attrs }] })
  const added = await until(() =>
    world.edge
      .listEvents(instance, 'groups')
      .map(({ payload }) => payload.event as { Join: string[]; Timestamp: number })
      .find(({ Join }) => Join.length > 0),
  )
  expect(added).toMatchObject({ Join: ['5511630000003@s.msgnet.net'], Timestamp: EARLIER * 1000 })
})
