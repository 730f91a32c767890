// Messages to groups whose stored form is old: asked for anew, and sent once more under the same id.

import type { Ack, GroupChange, NetworkGroup, NetworkOutcome } from '@msgnet/session-host/driver/driver.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { type DriverWorld, type Line, startDriver } from './driver.ts'

const GATEWAY = '5511350000001'
const ANNA = '5511350000002'
const BEN = '5511350000003'
const CARL = '5511350000004'

interface Seen {
  what: string
  id?: string
  xmlns?: string
  child?: string
  seq: number
}

const stored = new Map<string, NetworkGroup>()
const acks: Ack[] = []
const changes: GroupChange[] = []
const addressed: string[] = []
let world: DriverWorld
let line: Line

beforeAll(async () => {
  world = await startDriver(undefined, { findGroup: async (_, jid) => stored.get(jid) })
  // Anna has a device on a server, which is in no group.
  await world.sim('POST', '/phones', { number: ANNA, hosted: true })
  for (const number of [BEN, CARL]) await world.sim('POST', '/phones', { number })
  line = await world.connectInstance(await world.linkPhone(GATEWAY), {
    onAck: (ack) => void acks.push(ack),
    onGroupChanged: (change) => void changes.push(change),
    onGroupAddressed: (jid, addressing) => void addressed.push(`${jid} ${addressing}`),
    onGroupRenewed: async (group) => void stored.set(group.jid, group),
  })
  await until(() => line.account)
})
afterAll(() => world.close())

const createDeadline = () => AbortSignal.timeout(20_000)
const readLog = async (after: number) =>
  (await world.sim<{ entries: Seen[] }>('GET', `/log?number=${GATEWAY}&after=${after}`)).entries
const readInbox = async (number: string) =>
  (await world.sim<{ messages: { id: string; text: string }[] }>('GET', `/phones/${number}/inbox`)).messages

/** A group of Anna's with this account and Ben in it, stored as it is now. */
async function createKnownGroup(addressing: 'pn' | 'lid'): Promise<string> {
  const wish = { subject: 'Club', owner: ANNA, participants: [GATEWAY, BEN], addressing }
  const { jid } = await world.sim<{ jid: string }>('POST', '/groups', wish)
  const group = await line.connection.groups.getGroup(jid, createDeadline())
  if (group.kind !== 'done') throw new Error(`the group is ${group.kind}`)
  stored.set(jid, group.value)
  return jid
}

/** What became of a text, and what the network saw until the socket is quiet again. */
async function sendText(
  id: string,
  jid: string,
): Promise<{ outcome: NetworkOutcome; messages: number; requests: number }> {
  const before = (await readLog(0)).at(-1)?.seq ?? 0
  const encoded = line.connection.encode({ kind: 'text', text: id })?.encoded ?? new Uint8Array()
  const outcome = await line.connection.send(id, jid, encoded, createDeadline())
  await line.connection.confirmRead(createDeadline())
  const log = await readLog(before)
  return {
    outcome,
    messages: log.filter((entry) => entry.what === 'message' && entry.id === id).length,
    requests: log.filter(({ xmlns, child }) => xmlns === 'w:g2' && child === 'query').length,
  }
}

const listAcks = (id: string) => acks.filter(({ messageid }) => messageid === id)

test('a current list of members and devices is not requested, and the message is sent once', async () => {
  for (const addressing of ['pn', 'lid'] as const) {
    const jid = await createKnownGroup(addressing)
    for (const id of [`${addressing}1`, `${addressing}2`]) {
      expect(await sendText(id, jid)).toEqual({
        outcome: { kind: 'done', value: undefined },
        messages: 1,
        requests: 0,
      })
    }
  }
})

test('a group that has changed its addressing is requested, and the message is sent again', async () => {
  const jid = await createKnownGroup('pn')
  await sendText('BEFORE', jid)
  await world.sim('POST', '/faults', { kind: 'lost_notice', number: GATEWAY })
  await world.sim('POST', `/groups/${jid}/addressing`, { addressing: 'lid' })
  await world.sim('DELETE', '/faults')
  expect(await sendText('MOVED', jid)).toMatchObject({ outcome: { kind: 'done' }, messages: 1, requests: 1 })
  expect(stored.get(jid)).toMatchObject({ addressing: 'lid' })
  expect(listAcks('MOVED')).toEqual([{ messageid: 'MOVED' }])
  await until(async () => (await readInbox(BEN)).some(({ id }) => id === 'MOVED'))
  expect(await sendText('AFTER', jid)).toMatchObject({ outcome: { kind: 'done' }, messages: 1, requests: 0 })
})

test('notices of another addressing change it, and are not reported as members who leave and join', async () => {
  for (const [before, now] of [
    ['pn', 'lid'],
    ['lid', 'pn'],
  ] as const) {
    const jid = await createKnownGroup(before)
    await world.sim('POST', `/groups/${jid}/addressing`, { addressing: now })
    await until(() => addressed.includes(`${jid} ${now}`))
    await line.connection.confirmRead(createDeadline())
    expect(changes.filter((change) => change.jid === jid)).toEqual([])
  }
})

test('a group that a nack calls stale is requested once, also if that does not help', async () => {
  const jid = await createKnownGroup('lid')
  await world.sim('POST', '/faults', { kind: 'ack_error', code: 421, group: jid, count: 1 })
  expect(await sendText('ONCE', jid)).toMatchObject({ outcome: { kind: 'done' }, messages: 2, requests: 1 })
  expect(listAcks('ONCE')).toEqual([{ messageid: 'ONCE' }])
  await world.sim('POST', '/faults', { kind: 'ack_error', code: 421, group: jid, count: 2 })
  const refused = { outcome: { kind: 'refused', code: 421 }, messages: 2, requests: 1 }
  expect(await sendText('TWICE', jid)).toMatchObject(refused)
  expect(listAcks('TWICE')).toEqual([{ messageid: 'TWICE', code: 421, details: 'addressing_mode=lid' }])
  expect((await readInbox(BEN)).some(({ id }) => id === 'TWICE')).toBe(false)
})

test('a malformed message is not repeated', async () => {
  const jid = await createKnownGroup('lid')
  await world.sim('POST', '/faults', { kind: 'ack_error', code: 479, group: jid, count: 1 })
  const refused = { outcome: { kind: 'refused', code: 479 }, messages: 1, requests: 0 }
  expect(await sendText('MALFORMED', jid)).toMatchObject(refused)
})

test('a member added without a notice reads the message, which is stored once', async () => {
  const jid = await createKnownGroup('lid')
  await sendText('SMALL', jid)
  await world.sim('POST', '/faults', { kind: 'lost_notice', number: GATEWAY })
  const adding = { action: 'add', participants: [CARL], by: ANNA }
  await world.sim('POST', `/groups/${jid}/participants`, adding)
  await world.sim('DELETE', '/faults')
  expect(await sendText('LARGE', jid)).toMatchObject({ outcome: { kind: 'done' } })
  await until(async () => (await readInbox(CARL)).some(({ id }) => id === 'LARGE'))
  expect(stored.get(jid)?.members).toHaveLength(4)
  expect((await readInbox(BEN)).filter(({ id }) => id === 'LARGE')).toHaveLength(1)
  expect(listAcks('LARGE')).toEqual([{ messageid: 'LARGE' }])
  expect(await sendText('NEXT', jid)).toMatchObject({ messages: 1, requests: 0 })
})
