// People are addressed by LID once the account is migrated to LIDs, and by number before that.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Answer, NetworkCall, NetworkMessage, Receipt } from '../../session-host/driver/driver.ts'
import { until } from '../until.ts'
import { type DriverWorld, type Line, startDriver } from './driver.ts'

const BEN = '5511360000001'
const CARL = '5511360000002'
const person = (number: string) => `${number}@s.msgnet.net`
const deadline = () => AbortSignal.timeout(20_000)

interface Entry {
  what: string
  id?: string
  to?: string
  did?: string
  ids?: string[]
  type?: string
  form?: string
  peerRecipientPn?: string
}

/** What a device has told of. */
interface Told {
  messages: NetworkMessage[]
  receipts: Receipt[]
  calls: NetworkCall[]
}

const stored = new Map<string, Uint8Array<ArrayBuffer>>()
/** As the host does it: by the chat under any of its spellings. */
const findStored = async (_: string, id: string, { chats }: { chats: string[] }) =>
  stored.get(`${id} ${chats.find((chat) => stored.has(`${id} ${chat}`))}`)

let world: DriverWorld
let named = 5511360000100
beforeAll(async () => {
  world = await startDriver(undefined, { findStored })
  for (const number of [BEN, CARL]) await world.sim('POST', '/phones', { number, name: 'A friend' })
})
afterAll(() => world.close())

async function linked(lidMigrated: boolean, on = world) {
  const number = String(++named)
  await on.sim('POST', '/phones', { number, lidMigrated })
  return { number, instance: await on.linked(number) }
}

async function opened(instance: string, on = world): Promise<Line & { told: Told }> {
  const told: Told = { messages: [], receipts: [], calls: [] }
  const line = await on.connect(instance, {
    messages: async (messages) => void told.messages.push(...messages),
    receipts: (receipts) => void told.receipts.push(...receipts),
    call: (call) => void told.calls.push(call),
  })
  await until(() => line.account)
  return Object.assign(line, { told })
}

async function send({ connection }: Line, id: string, to: string, audience?: string[]): Promise<Answer> {
  const encoded = connection.encode({ kind: 'text', text: id, mentions: [] })?.encoded ?? new Uint8Array()
  stored.set(`${id} ${to}`, encoded)
  return connection.send(id, to, encoded, deadline(), audience)
}

const inbox = async (number: string, on = world) =>
  (await on.sim<{ messages: { id: string; chat: string }[] }>('GET', `/phones/${number}/inbox`)).messages
const log = async (number: string, on = world) =>
  (await on.sim<{ entries: Entry[] }>('GET', `/log?number=${number}`)).entries
const formOf = async (number: string, wanted: Partial<Entry>, on = world) =>
  (
    await until(async () =>
      (
        await log(number, on)
      ).find((entry) => Object.entries(wanted).every(([key, value]) => entry[key as keyof Entry] === value)),
    )
  ).form

/** Sends one of each kind to Ben, and answers how each was addressed. */
async function addressEach(number: string, line: Line & { told: Told }, on = world) {
  const { connection, told } = line
  const id = `TEXT${number}`
  expect(await send(line, id, person(BEN))).toMatchObject({ kind: 'done' })
  expect((await inbox(BEN, on)).find((one) => one.id === id)).toMatchObject({ chat: person(number) })
  const receipt = await until(() => told.receipts.find((one) => one.messageid === id))
  expect(receipt).toMatchObject({ progress: 'Delivered', ours: true })

  await connection.showPresence(person(BEN), 'composing', deadline())
  const { id: heard } = await on.sim<{ id: string }>('POST', '/messages', {
    from: BEN,
    to: number,
    text: 'hi',
  })
  await until(() => told.messages.find((one) => one.messageid === heard))
  const key = { messageid: heard, chatid: person(BEN), sender: person(BEN), isGroup: false }
  expect(await connection.markRead([key], deadline())).toMatchObject({ kind: 'done' })
  const { callId } = await on.sim<{ callId: string }>('POST', '/calls', { from: BEN, to: number })
  const { creator } = await until(() => told.calls.find(({ callid }) => callid === callId))
  expect(await connection.rejectCall(callId, creator.id, deadline())).toMatchObject({ kind: 'done' })
  expect(await on.sim('GET', `/calls/${callId}`)).toMatchObject({ state: 'reject' })
  const status = `STATUS${number}`
  expect(await send(line, status, 'status@broadcast', [person(BEN)])).toMatchObject({ kind: 'done' })
  expect((await inbox(BEN, on)).find((one) => one.id === status)).toMatchObject({ chat: 'status@broadcast' })
  return {
    text: await formOf(number, { what: 'message', id }, on),
    chatstate: await formOf(number, { what: 'chatstate' }, on),
    read: await formOf(number, { what: 'receipt', type: 'read' }, on),
    call: await formOf(number, { what: 'call', did: 'reject' }, on),
    status: await formOf(number, { what: 'message', id: status }, on),
  }
}

const all = (form: string) => ({ text: form, chatstate: form, read: form, call: form, status: form })

test.each([
  [true, 'lid'],
  [false, 'pn'],
])('everything goes to the address that suits the account (migrated: %s)', async (migrated, form) => {
  const { number, instance } = await linked(migrated)
  const first = await opened(instance)
  expect(await addressEach(number, first)).toEqual(all(form))
  const sent = (await log(number)).find(({ id }) => id === `TEXT${number}`)
  expect(sent?.peerRecipientPn).toBe(migrated ? person(BEN) : undefined)

  // The next socket knows it too, before the network has said anything of it.
  await first.connection.close()
  const next = await opened(instance)
  expect(await send(next, `AGAIN${number}`, person(CARL))).toMatchObject({ kind: 'done' })
})

test('an account that migrates during a session is written from by LID from then on', async () => {
  const { number, instance } = await linked(false)
  const line = await opened(instance)
  expect(await send(line, 'BEFORE', person(BEN))).toMatchObject({ kind: 'done' })
  expect(await world.sim('PATCH', `/phones/${number}`, { lidMigrated: true })).toMatchObject({
    lidMigrated: true,
  })
  await line.connection.heard(deadline())
  expect(await send(line, 'AFTER', person(BEN))).toMatchObject({ kind: 'done' })
  expect((await inbox(BEN)).map(({ id }) => id)).toEqual(expect.arrayContaining(['BEFORE', 'AFTER']))
  expect(await formOf(number, { what: 'message', id: 'BEFORE' })).toBe('pn')
  expect(await formOf(number, { what: 'message', id: 'AFTER' })).toBe('lid')
})

test('a device that was linked before it could know learns from the network that the account is migrated', async () => {
  const { number, instance } = await linked(false)
  // Without the message of the phone, which this device may have had when nobody looked for it.
  await world.sim('POST', '/phones', { number, lidMigrated: true })
  const line = await opened(instance)
  await until(async () => (await log(number)).some(({ what }) => what === 'iq') || undefined)
  await until(async () => (await send(line, crypto.randomUUID(), person(BEN))).kind === 'done')
  expect((await log(number)).findLast(({ what }) => what === 'message')?.form).toBe('lid')
})

test.each([true, false])(
  'a message that a recipient cannot read is sent to it again (migrated: %s)',
  async (migrated) => {
    const { number, instance } = await linked(migrated)
    const ben = await linked(true)
    const [from, to] = [await opened(instance), await opened(ben.instance)]
    await world.sim('POST', '/faults', { kind: 'garble', number: ben.number, count: 1 })
    const id = `GARBLED${number}`
    expect(await send(from, id, person(ben.number))).toMatchObject({ kind: 'done' })
    await until(() => to.told.messages.find((one) => one.messageid === id && one.type === 'text'))
  },
)

test.each([true, false])(
  'a message that another device of the account cannot read is sent to it again, in its chat (migrated: %s)',
  async (migrated) => {
    const { number, instance } = await linked(migrated)
    const second = await world.linked(number)
    const [from, to] = [await opened(instance), await opened(second)]
    await world.sim('POST', '/faults', { kind: 'garble', number, count: 1 })
    const id = `OWN${number}`
    expect(await send(from, id, person(BEN))).toMatchObject({ kind: 'done' })
    const shown = await until(() =>
      to.told.messages.find((one) => one.messageid === id && one.type === 'text'),
    )
    expect(shown).toMatchObject({ fromMe: true, chat: { id: person(BEN) } })
  },
)

test('a recipient of whom the network lists no devices is written to on its phone', async () => {
  const { number, instance } = await linked(true)
  const line = await opened(instance)
  await world.sim('POST', '/faults', { kind: 'empty_devices', number })
  expect(await send(line, `LISTED${number}`, person(BEN))).toMatchObject({ kind: 'done' })
  expect((await inbox(BEN)).some(({ id }) => id === `LISTED${number}`)).toBe(true)
  const nobody = '5511360009999'
  expect(await send(line, 'NOBODY', person(nobody))).toMatchObject({ kind: 'refused', code: 404 })
})

// The last ones: the key of the network's certificates is one for the process.
test.each([
  ['pn', true, 463],
  ['lid', false, 400],
] as const)(
  'with DM_ADDRESSING=%s a send of an account that is migrated (%s) is refused with %i',
  async (dmAddressing, migrated, code) => {
    const other = await startDriver(undefined, { dmAddressing })
    onTestFinished(() => other.close())
    await other.sim('POST', '/phones', { number: BEN })
    const { number, instance } = await linked(migrated, other)
    const line = await opened(instance, other)
    // By number the network may show no devices, which is not the reason for the refusal.
    await other.sim('POST', '/faults', { kind: 'empty_devices', number, count: 1 })
    expect(await send(line, 'WRONG', person(BEN))).toMatchObject({ kind: 'refused', code })
    await other.sim('POST', '/phones', { number, lidMigrated: !migrated })
    expect(await addressEach(number, line, other)).toEqual(all(dmAddressing))
  },
)
