// Lists of an account that no memory should hold whole: the edge asks the host for a page when the caller has read the one before.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDevice, type Device } from '../device.ts'
import type { Seen } from '../scene.ts'
import { startWorld, type World } from '../world.ts'
import { type HostStandIn, registerStandIn } from './host-stand-in.ts'

const PAGES = 20
/** Much more than sockets have room for. */
const LONG = 'x'.repeat(500_000)

let world: World
let host: HostStandIn
let device: Device

beforeAll(async () => {
  world = await startWorld({ COMPATIBILITY: 'uazapi' })
  const [own] = (await world.admin.get('/v1/hosts')).body.hosts
  await world.admin.post(`/v1/hosts/${own.id}/drain`)
  host = await registerStandIn(world, crypto.randomUUID())
  await host.dialEdge()
  device = await createDevice(world)
  await device.caller.post('/instance/connect')
  host.results = { 'group.list': answerGroups, 'contact.list': answerContacts }
})
afterAll(async () => {
  host.hangUp()
  await world.close()
})

function answerGroups({ after }: Record<string, unknown>) {
  const n = after === '' ? 0 : Number.parseInt(String(after), 10)
  const group = { JID: `${n}@g.us`, Name: LONG, OwnerJID: '5511600000001@s.msgnet.net' }
  return { groups: [group], next: n + 1 < PAGES ? `${n + 1}` : null }
}

const answerContacts = ({ offset }: Record<string, unknown>) => ({
  contacts: [{ jid: `${Number(offset) + 1}@s.msgnet.net`, contact_name: LONG, contact_FirstName: '' }],
  total: PAGES,
})

const countActs = (action: string) =>
  host.frames.filter((frame) => frame.t === 'act' && frame.action === action).length

const dialects = [
  ['in the form of the contract', 'application/json; profile=contract', 's.msgnet.net'],
  ['in the form of the family', 'application/json', 's.whatsapp.net'],
] as const

test.each(dialects)(
  'groups are sent %s page by page, and come whole and in order',
  async (_, accept, server) => {
    const before = countActs('group.list')
    const headers = { token: device.token, accept, 'accept-encoding': 'identity' }
    const response = await fetch(`${world.run.baseUrl}/group/list`, { headers })
    expect(countActs('group.list') - before).toBeLessThan(PAGES)
    const { groups } = (await response.json()) as Seen
    expect(groups.map(({ JID }: Seen) => JID)).toEqual(Array.from({ length: PAGES }, (__, n) => `${n}@g.us`))
    expect(groups[1].OwnerJID).toBe(`5511600000001@${server}`)
    expect(countActs('group.list') - before).toBe(PAGES)
  },
)

test('a page of groups that has all of them is sent as the host brings it', async () => {
  const before = countActs('group.list')
  const response = await fetch(`${world.run.baseUrl}/group/list`, {
    method: 'POST',
    headers: { token: device.token, 'content-type': 'application/json', 'accept-encoding': 'identity' },
    body: JSON.stringify({ limit: 15, offset: 2 }),
  })
  expect(countActs('group.list') - before).toBeLessThan(PAGES)
  const { groups, pagination } = (await response.json()) as Seen
  expect(groups.map(({ JID }: Seen) => JID)).toEqual(Array.from({ length: 15 }, (__, n) => `${n + 2}@g.us`))
  expect(groups[1].OwnerJID).toBe('5511600000001@s.whatsapp.net')
  expect(pagination).toMatchObject({ totalRecords: PAGES, limit: 15, offset: 2, hasNextPage: true })
  expect(countActs('group.list') - before).toBe(PAGES)
})

test.each(dialects)(
  'contacts are sent %s page by page, and come whole and in order',
  async (_, accept, server) => {
    const before = countActs('contact.list')
    const headers = { token: device.token, accept, 'accept-encoding': 'identity' }
    const response = await fetch(`${world.run.baseUrl}/contacts`, { headers })
    expect(countActs('contact.list') - before).toBeLessThan(PAGES)
    const contacts = (await response.json()) as Seen[]
    expect(contacts.map(({ jid }) => jid)).toEqual(
      Array.from({ length: PAGES }, (__, n) => `${n + 1}@${server}`),
    )
    expect(contacts[0]).toMatchObject({ contact_FirstName: '', contactName: LONG })
  },
)
