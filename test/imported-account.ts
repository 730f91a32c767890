// An account that moves in from another program: its people and groups, what was said before, and what must work afterwards.

import { expect } from 'vitest'
import type { ApiResponse } from './caller.ts'
import { createDevice, createPhone, type Device, SECRET, waitUntilConnected } from './device.ts'
import type { Receiver } from './receiver.ts'
import type { Seen } from './scene.ts'
import { until } from './until.ts'
import type { SharedWorld } from './world.ts'

/** A client of the library that is linked to the account. */
export interface MovingClient {
  sendText(to: string, text: string): Promise<unknown>
  /** The texts that it has decrypted. */
  listTexts(): string[]
  end(): void | Promise<void>
}

export interface Move {
  /** Of the account, as digits. */
  number: string
  friend: string
  /** Where the network takes messages for them. */
  friendAddress: string
  member: string
  groups: string[]
}

/** The account with people and groups of both forms of addresses. `wish`: how its phone and those of the others are. */
export async function createAccount(world: SharedWorld, wish: { lidMigrated?: boolean } = {}): Promise<Move> {
  const [number, friend, member] = [
    await createPhone(world, 'Shop', wish),
    await createPhone(world, 'Ana', wish),
    await createPhone(world, 'Bruno', wish),
  ]
  const groups: string[] = []
  for (const addressing of ['lid', 'pn']) {
    const group = { subject: `By ${addressing}`, owner: friend, participants: [number, member], addressing }
    groups.push(String((await world.sim('POST', '/groups', group)).jid))
  }
  const { lid, lidMigrated } = await world.sim('GET', `/phones/${friend}`)
  const friendAddress = lidMigrated ? String(lid) : `${friend}@s.whatsapp.net`
  return { number, friend, friendAddress, member, groups }
}

/** Some of it in each chat, both ways. */
export async function talkBefore(
  world: SharedWorld,
  client: MovingClient,
  move: Move,
  rounds = 3,
): Promise<void> {
  const { number, friend, friendAddress, member, groups } = move
  for (let round = 1; round <= rounds; round++) {
    const said = [`${round} from ${friend}`, `${round} from ${member}`]
    await writeFrom(world, friend, number, said[0] ?? '')
    await writeFrom(world, member, number, said[1] ?? '')
    for (const group of groups) {
      said.push(`${round} in ${group}`)
      await writeFrom(world, friend, group, `${round} in ${group}`)
    }
    await until(() => said.every((text) => client.listTexts().includes(text)))
    for (const to of [friendAddress, ...groups]) await client.sendText(to, `${round} back to ${to}`)
    await until(async () => {
      const inbox = await readTexts(world, friend)
      return [friendAddress, ...groups].every((to) => inbox.includes(`${round} back to ${to}`))
    })
  }
}

export const importLines = (device: Device, lines: string): Promise<ApiResponse> =>
  device.caller.request('POST', '/instance/import', lines, { 'content-type': 'application/x-ndjson' })

/** A companion of the friend that uses the library goes on in the sessions that it has, where phones of the network begin new ones. */
export async function receiveFromCompanion(
  companion: MovingClient,
  { number, groups }: Move,
  listTexts: () => string[],
  round: string,
): Promise<void> {
  const said: string[] = []
  for (const to of [`${number}@s.whatsapp.net`, ...groups]) {
    said.push(`${round} by the companion to ${to}`)
    await companion.sendText(to, `${round} by the companion to ${to}`)
  }
  await until(() => said.every((text) => listTexts().includes(text)))
}

/** The texts that a webhook was sent of this instance. */
export const listDelivered = (receiver: Receiver, device: Device): string[] =>
  receiver.deliveries
    .map(({ envelope }) => envelope as Seen)
    .filter(({ EventType, instanceId }) => EventType === 'messages' && instanceId === device.id)
    .map(({ message }) => message.text)

/** Imports, connects without a code, and says things both ways: nothing may be unreadable on either side. */
export async function moveIn(
  world: SharedWorld,
  receiver: Receiver,
  { number }: Move,
  lines: string,
): Promise<Device> {
  const device = await createDevice(world, 'Moved')
  const events = ['messages', 'connection', 'undecryptable']
  await device.caller.post('/webhook', { url: receiver.url, events, secret: SECRET })
  const imported = await importLines(device, lines)
  expect(imported.body).toMatchObject({
    connected: false,
    loggedIn: false,
    jid: `${number}@s.msgnet.net`,
    instance: { status: 'disconnected', owner: number },
    imported: { account: `${number}@s.msgnet.net`, rows: lines.split('\n').length - 3 },
  })
  expect((await device.caller.get('/instance/status')).body.jid).toBe(`${number}@s.msgnet.net`)
  const connected = await device.caller.post('/instance/connect')
  expect(connected.body.pairing).toBeUndefined()
  await waitUntilConnected(device)
  return device
}

export async function talkAfter(
  world: SharedWorld,
  receiver: Receiver,
  device: Device,
  { number, friend, member, groups }: Move,
  rounds = 10,
): Promise<void> {
  const retriesBefore = await countRetries(world, number)
  const received: string[] = []
  for (let n = 0; n < rounds; n++)
    for (const [from, to] of [
      [friend, number],
      [member, number],
      ...groups.map((group) => [friend, group]),
    ]) {
      const text = `after ${n} from ${from} to ${to}`
      received.push(text)
      await writeFrom(world, String(from), String(to), text)
    }
  const sent: string[] = []
  for (let n = 0; n < rounds; n++)
    for (const to of [friend, member, ...groups]) {
      const text = `after ${n} to ${to}`
      const answer = await device.caller.post('/send/text', { number: to, text })
      expect([text, answer.status]).toEqual([text, 200])
      sent.push(text)
    }
  await until(() => received.every((text) => listDelivered(receiver, device).includes(text)))
  await until(async () => {
    const [atFriend, atMember] = [await readTexts(world, friend), await readTexts(world, member)]
    return sent.every((text) => atFriend.includes(text) || atMember.includes(text))
  })
  const unreadable = receiver.deliveries
    .map(({ envelope }) => envelope as Seen)
    .filter(({ EventType, instanceId }) => EventType === 'undecryptable' && instanceId === device.id)
  expect(unreadable).toEqual([])
  expect((await countRetries(world, number)) - retriesBefore).toBe(0)
}

export const writeFrom = (world: SharedWorld, from: string, to: string, text: string) =>
  world.sim('POST', '/messages', { from, to, text })

async function readTexts(world: SharedWorld, number: string): Promise<string[]> {
  return ((await world.sim('GET', `/phones/${number}/inbox`)).messages as Seen[]).map(({ text }) => text)
}

/** How often devices of the account have asked for a message again, because they could not decrypt it. */
export async function countRetries(world: SharedWorld, number: string): Promise<number> {
  const receipts = (await world.sim('GET', `/receipts?number=${number}`)).receipts as Seen[]
  return receipts.filter(({ type }) => type === 'retry').length
}
