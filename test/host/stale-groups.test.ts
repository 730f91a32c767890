// Messages to groups whose stored form is old: asked for anew, and sent once more under the same id.

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Ack, Answer, GroupChange, NetworkGroup } from '../../session-host/driver/driver.ts'
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
  line = await world.connect(await world.linked(GATEWAY), {
    ack: (ack) => void acks.push(ack),
    groupChanged: (change) => void changes.push(change),
    groupAddressed: (jid, addressing) => void addressed.push(`${jid} ${addressing}`),
    groupRenewed: async (group) => void stored.set(group.jid, group),
  })
  await until(() => line.account)
})
afterAll(() => world.close())

const deadline = () => AbortSignal.timeout(20_000)
const seen = async (after: number) =>
  (await world.sim<{ entries: Seen[] }>('GET', `/log?number=${GATEWAY}&after=${after}`)).entries
const inbox = async (number: string) =>
  (await world.sim<{ messages: { id: string; text: string }[] }>('GET', `/phones/${number}/inbox`)).messages

/** A group of Anna's with this account and Ben in it, stored as it is now. */
async function knownGroup(addressing: 'pn' | 'lid'): Promise<string> {
  const wish = { subject: 'Club', owner: ANNA, participants: [GATEWAY, BEN], addressing }
  const { jid } = await world.sim<{ jid: string }>('POST', '/groups', wish)
  const group = await line.connection.groups.one(jid, deadline())
  if (group.kind !== 'done') throw new Error(`the group is ${group.kind}`)
  stored.set(jid, group.value)
  return jid
}

/** What became of a text, and what the network saw until the socket is quiet again. */
async function send(id: string, jid: string): Promise<{ answer: Answer; messages: number; asked: number }> {
  const before = (await seen(0)).at(-1)?.seq ?? 0
  const encoded = line.connection.encode({ kind: 'text', text: id })?.encoded ?? new Uint8Array()
  const answer = await line.connection.send(id, jid, encoded, deadline())
  await line.connection.heard(deadline())
  const log = await seen(before)
  return {
    answer,
    messages: log.filter((entry) => entry.what === 'message' && entry.id === id).length,
    asked: log.filter(({ xmlns, child }) => xmlns === 'w:g2' && child === 'query').length,
  }
}

const acked = (id: string) => acks.filter(({ messageid }) => messageid === id)

test('a current list of members and devices is neither asked for nor sent to twice', async () => {
  for (const addressing of ['pn', 'lid'] as const) {
    const jid = await knownGroup(addressing)
    for (const id of [`${addressing}1`, `${addressing}2`]) {
      expect(await send(id, jid)).toEqual({
        answer: { kind: 'done', value: undefined },
        messages: 1,
        asked: 0,
      })
    }
  }
})

test('a group that has changed its addressing is asked for, and the message is sent once more', async () => {
  const jid = await knownGroup('pn')
  await send('BEFORE', jid)
  await world.sim('POST', '/faults', { kind: 'lost_notice', number: GATEWAY })
  await world.sim('POST', `/groups/${jid}/addressing`, { addressing: 'lid' })
  await world.sim('DELETE', '/faults')
  expect(await send('MOVED', jid)).toMatchObject({ answer: { kind: 'done' }, messages: 1, asked: 1 })
  expect(stored.get(jid)).toMatchObject({ addressing: 'lid' })
  expect(acked('MOVED')).toEqual([{ messageid: 'MOVED' }])
  await until(async () => (await inbox(BEN)).some(({ id }) => id === 'MOVED'))
  expect(await send('AFTER', jid)).toMatchObject({ answer: { kind: 'done' }, messages: 1, asked: 0 })
})

test('notices of another addressing say so, and are not told as people who leave and come', async () => {
  for (const [before, now] of [
    ['pn', 'lid'],
    ['lid', 'pn'],
  ] as const) {
    const jid = await knownGroup(before)
    await world.sim('POST', `/groups/${jid}/addressing`, { addressing: now })
    await until(() => addressed.includes(`${jid} ${now}`))
    await line.connection.heard(deadline())
    expect(changes.filter((change) => change.jid === jid)).toEqual([])
  }
})

test('a group whose nack says that it is old is asked for once, also if that does not help', async () => {
  const jid = await knownGroup('lid')
  await world.sim('POST', '/faults', { kind: 'ack_error', code: 421, group: jid, count: 1 })
  expect(await send('ONCE', jid)).toMatchObject({ answer: { kind: 'done' }, messages: 2, asked: 1 })
  expect(acked('ONCE')).toEqual([{ messageid: 'ONCE' }])
  await world.sim('POST', '/faults', { kind: 'ack_error', code: 421, group: jid, count: 2 })
  const refused = { answer: { kind: 'refused', code: 421 }, messages: 2, asked: 1 }
  expect(await send('TWICE', jid)).toMatchObject(refused)
  expect(acked('TWICE')).toEqual([{ messageid: 'TWICE', code: 421, said: 'addressing_mode=lid' }])
  expect((await inbox(BEN)).some(({ id }) => id === 'TWICE')).toBe(false)
})

test('a malformed message is not repeated', async () => {
  const jid = await knownGroup('lid')
  await world.sim('POST', '/faults', { kind: 'ack_error', code: 479, group: jid, count: 1 })
  const refused = { answer: { kind: 'refused', code: 479 }, messages: 1, asked: 0 }
  expect(await send('MALFORMED', jid)).toMatchObject(refused)
})

test('a member that was added without a notice reads the message, which stays one', async () => {
  const jid = await knownGroup('lid')
  await send('SMALL', jid)
  await world.sim('POST', '/faults', { kind: 'lost_notice', number: GATEWAY })
  const adding = { action: 'add', participants: [CARL], by: ANNA }
  await world.sim('POST', `/groups/${jid}/participants`, adding)
  await world.sim('DELETE', '/faults')
  expect(await send('LARGE', jid)).toMatchObject({ answer: { kind: 'done' } })
  await until(async () => (await inbox(CARL)).some(({ id }) => id === 'LARGE'))
  expect(stored.get(jid)?.members).toHaveLength(4)
  expect((await inbox(BEN)).filter(({ id }) => id === 'LARGE')).toHaveLength(1)
  expect(acked('LARGE')).toEqual([{ messageid: 'LARGE' }])
  expect(await send('NEXT', jid)).toMatchObject({ messages: 1, asked: 0 })
})
