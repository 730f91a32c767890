// First messages to groups and status posts: each device of their members gets a key, and an instance has so many of them a minute.

import { toFailedOutcome } from '@msgnet/session-host/actions/action.ts'
import type { NetworkGroup, NetworkOutcome } from '@msgnet/session-host/driver/driver.ts'
import { KeyCosts } from '@msgnet/session-host/driver/key-costs.ts'
import { STATUS_JID } from '@msgnet/shared/jid.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { type DriverWorld, type Line, startDriver } from './driver.ts'

const GATEWAY = '5511360000001'
const NEIGHBOUR = '5511360000002'
const MEMBERS = Array.from({ length: 6 }, (_, n) => `551136000001${n}`)

const stored = new Map<string, NetworkGroup>()
const keyCosts = new KeyCosts({ costPerMinute: 1, maxSavedCost: 2 })
let world: DriverWorld
let line: Line
let neighbour: Line

beforeAll(async () => {
  world = await startDriver(undefined, { keyCosts, findGroup: async (_, jid) => stored.get(jid) })
  for (const number of MEMBERS) await world.sim('POST', '/phones', { number })
  line = await connect(GATEWAY)
  neighbour = await connect(NEIGHBOUR)
})
afterAll(() => world.close())

async function connect(number: string): Promise<Line> {
  const connected = await world.connectInstance(await world.linkPhone(number))
  await until(() => connected.account)
  return connected
}

const createDeadline = () => AbortSignal.timeout(20_000)

/** With this account in it, stored as it is. */
async function createGroup(number: string, { connection }: Line, members: string[]): Promise<string> {
  const wish = { subject: 'Club', owner: members[0], participants: [number, ...members], addressing: 'pn' }
  const { jid } = await world.sim<{ jid: string }>('POST', '/groups', wish)
  const group = await connection.groups.getGroup(jid, createDeadline())
  if (group.kind !== 'done') throw new Error(`the group is ${group.kind}`)
  stored.set(jid, group.value)
  return jid
}

let sent = 0

/** What became of a text, and what the network saw of it. */
async function sendText(number: string, { connection }: Line, to: string, audience?: string[]) {
  const readLog = (after: number) =>
    world.sim<{ entries: { what: string; xmlns?: string; seq: number }[] }>(
      'GET',
      `/log?number=${number}&after=${after}`,
    )
  const before = (await readLog(0)).entries.at(-1)?.seq ?? 0
  sent += 1
  const encoded = connection.encode({ kind: 'text', text: `text ${sent}` })?.encoded ?? new Uint8Array()
  const outcome: NetworkOutcome = await connection.send(`ID${sent}`, to, encoded, createDeadline(), audience)
  await connection.confirmRead(createDeadline())
  const { entries } = await readLog(before)
  const messages = entries.filter(({ what }) => what === 'message').length
  return { outcome, messages, lookups: entries.filter(({ xmlns }) => xmlns === 'usync').length }
}

const isSent = { outcome: { kind: 'done' }, messages: 1 }
const isRefused = {
  outcome: { kind: 'prevented', by: 'quota_reached', waitMs: expect.any(Number) },
  messages: 0,
  lookups: 0,
}

test('beyond the devices of a minute the first message to a group is refused before anything was looked up or sent', async () => {
  const known = await createGroup(GATEWAY, line, MEMBERS.slice(0, 3))
  const fresh = await createGroup(GATEWAY, line, MEMBERS.slice(3))
  expect(await sendText(GATEWAY, line, known)).toMatchObject(isSent)
  expect(await sendText(GATEWAY, line, fresh)).toMatchObject(isRefused)
  expect(await sendText(GATEWAY, line, STATUS_JID, MEMBERS)).toMatchObject(isRefused)
  // Its devices have the key.
  expect(await sendText(GATEWAY, line, known)).toMatchObject(isSent)
  expect(await sendText(GATEWAY, line, `${MEMBERS[5]}@s.msgnet.net`)).toMatchObject(isSent)
  const other = await createGroup(NEIGHBOUR, neighbour, MEMBERS)
  expect(await sendText(NEIGHBOUR, neighbour, other)).toMatchObject(isSent)
})

test('the caller gets 429 with the time to wait', () => {
  const outcome = toFailedOutcome({ kind: 'prevented', by: 'quota_reached', waitMs: 4000 })
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'quota_reached', waitMs: 4000 })
})
