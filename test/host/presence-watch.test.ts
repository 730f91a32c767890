// Subscribed presence inside a host: how many chats, by which id, and how much of a burst goes to the edge.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection, Person } from '@msgnet/session-host/driver/driver.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { PresenceBuffer } from '@msgnet/session-host/reports/presence-buffer.ts'
import { PresenceWatch } from '@msgnet/session-host/sessions/presence-watch.ts'
import type { StoredState } from '@msgnet/session-host/sessions/stored-state.ts'
import { FencedStore } from '@msgnet/session-host/store/fenced-store.ts'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import type { PresenceItem } from '@msgnet/shared/contract/presence-event.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { MAX_PRESENCE_PER_FRAME } from '@msgnet/shared/wire/link-frames.ts'
import { afterAll, expect, test } from 'vitest'
import { MovableClock } from '../movable-clock.ts'
import { until } from '../until.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'presence-'))
const disk = await openStore(join(dataDir, 'host.db'), () => undefined)
const store = new FencedStore(disk, { runs: true }, '')
afterAll(async () => {
  await disk.close()
  rmSync(dataDir, { recursive: true })
})

const createPerson = (digits: string): Person => {
  const pn = `${digits}@s.msgnet.net`
  return { id: pn, pn, lid: `${digits}7@lid` }
}
const listPeople = (count: number) =>
  Array.from({ length: count }, (_, n) => createPerson(`${551190000000 + n}`))

/** A watch as a restarted process has it: what it knows is in the store. */
function openWatch(instance: string, presence: Pick<PresenceBuffer, 'add'> = { add: () => undefined }) {
  store.setEpoch(instance, 1)
  const row = { instance, epoch: 1, online: false }
  return new PresenceWatch({ store, presence, log: createSilentLog() }, { row, owner: '' } as StoredState)
}

test('a chat beyond the limit finds no place, one of those that are subscribed does, and one that is given up makes room', async () => {
  const people = listPeople(limits.maxPresenceChats)
  const [first = createPerson('1')] = people
  const more = createPerson('5521900000000')
  const watch = openWatch('full')
  for (const person of people.slice(1)) await watch.storeChat(person, true)
  expect(await watch.countWith(first)).toBe(limits.maxPresenceChats)
  expect(await watch.storeChat(first, true)).toBe(limits.maxPresenceChats)
  for (const one of [watch, openWatch('full')]) {
    expect(await one.countWith(more)).toBeUndefined()
    expect(await one.countWith(first)).toBe(limits.maxPresenceChats)
  }
  expect(await watch.storeChat(first, false)).toBe(limits.maxPresenceChats - 1)
  expect(await watch.countWith(more)).toBe(limits.maxPresenceChats)
})

test('a person who was subscribed by one id is given up by the other, also after a restart', async () => {
  const person = createPerson('5531900000000')
  const { pn, lid } = person
  await openWatch('forms').storeChat(person, true)
  expect(await openWatch('forms').storeChat({ id: lid, pn: '', lid }, false)).toBe(0)
  await openWatch('forms').storeChat({ id: lid, pn: '', lid }, true)
  const watch = openWatch('forms')
  expect(await watch.countWith(person)).toBe(1)
  expect(await watch.storeChat(person, true)).toBe(1)
  expect(await watch.storeChat({ id: pn, pn, lid: '' }, false)).toBe(0)
  expect(await openWatch('forms').countWith(person)).toBe(1)
})

test('500 chats that type at once are reported in frames of 100, each chat once, with its last state', async () => {
  const clock = new MovableClock()
  clock.holdTime()
  const buffer = new PresenceBuffer(clock)
  const frames: PresenceItem[][] = []
  const watch = openWatch('burst', buffer)
  const people = listPeople(limits.maxPresenceChats)
  for (const person of people) await watch.storeChat(person, true)
  const byPn = new Map(people.map((person) => [person.pn, person]))
  watch.handleLogin({
    findKnownIds: async (jid: string) => byPn.get(jid),
    subscribePresence: async () => ({ kind: 'done' }),
  } as unknown as Connection)
  for (const state of ['paused', 'composing'] as const)
    for (const { pn } of people) watch.handlePresence({ chat: pn, by: pn, state, lastSeen: 0 })
  watch.handlePresence({ chat: 'stranger@lid', by: 'stranger@lid', state: 'composing', lastSeen: 0 })
  // All of them wait in the buffer once the last one does.
  let added = 0
  const add = buffer.add.bind(buffer)
  buffer.add = (item) => {
    added += 1
    add(item)
  }
  await until(() => added === 2 * people.length)
  buffer.open((items) => frames.push(items))
  await clock.moveTime(2 * SECOND)
  expect(frames.map((frame) => frame.length)).toEqual(Array(5).fill(MAX_PRESENCE_PER_FRAME))
  const sent = frames.flat().map(({ event }) => event)
  expect(new Set(sent.map(({ number }) => number)).size).toBe(people.length)
  expect(new Set(sent.map(({ state }) => state))).toEqual(new Set(['composing']))
})
