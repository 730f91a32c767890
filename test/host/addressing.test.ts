// People are addressed by LID once the account is migrated to LIDs, and by number before that.

import { readCreds } from '@msgnet/session-host/driver/baileys/keys/auth-state.ts'
import type {
  NetworkCall,
  NetworkMessage,
  NetworkOutcome,
  Receipt,
} from '@msgnet/session-host/driver/driver.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { until } from '../until.ts'
import { type DriverWorld, type Line, startDriver } from './driver.ts'

const BEN = '5511360000001'
const CARL = '5511360000002'
const toPersonJid = (number: string) => `${number}@s.msgnet.net`
const createDeadline = () => AbortSignal.timeout(20_000)

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

/** What a device has reported. */
interface Received {
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
  world = await startDriver(undefined, { findStoredMessage: findStored })
  for (const number of [BEN, CARL]) await world.sim('POST', '/phones', { number, name: 'A friend' })
})
afterAll(() => world.close())

async function linkPhone(lidMigrated: boolean, on = world) {
  const number = String(++named)
  await on.sim('POST', '/phones', { number, lidMigrated })
  return { number, instance: await on.linkPhone(number) }
}

async function openDevice(instance: string, on = world): Promise<Line & { received: Received }> {
  const received: Received = { messages: [], receipts: [], calls: [] }
  const line = await on.connectInstance(instance, {
    onMessages: async (messages) => void received.messages.push(...messages),
    onReceipts: (receipts) => void received.receipts.push(...receipts),
    onCall: (call) => void received.calls.push(call),
  })
  await until(() => line.account)
  return Object.assign(line, { received })
}

async function sendText(
  { connection }: Line,
  id: string,
  to: string,
  audience?: string[],
): Promise<NetworkOutcome> {
  const encoded = connection.encode({ kind: 'text', text: id, mentions: [] })?.encoded ?? new Uint8Array()
  stored.set(`${id} ${to}`, encoded)
  return connection.send(id, to, encoded, createDeadline(), audience)
}

const isMigrated = ({ additionalData }: { additionalData?: unknown } = {}) =>
  (additionalData as { lidMigrated?: boolean } | undefined)?.lidMigrated === true

const readInbox = async (number: string, on = world) =>
  (await on.sim<{ messages: { id: string; chat: string }[] }>('GET', `/phones/${number}/inbox`)).messages
const readLog = async (number: string, on = world) =>
  (await on.sim<{ entries: Entry[] }>('GET', `/log?number=${number}`)).entries
const findForm = async (number: string, expected: Partial<Entry>, on = world) =>
  (
    await until(async () =>
      (
        await readLog(number, on)
      ).find((entry) =>
        Object.entries(expected).every(([key, value]) => entry[key as keyof Entry] === value),
      ),
    )
  ).form

/** Sends one of each kind to Ben, and answers how each was addressed. */
async function sendEachForm(number: string, line: Line & { received: Received }, on = world) {
  const { connection, received } = line
  const id = `TEXT${number}`
  expect(await sendText(line, id, toPersonJid(BEN))).toMatchObject({ kind: 'done' })
  expect((await readInbox(BEN, on)).find((one) => one.id === id)).toMatchObject({ chat: toPersonJid(number) })
  const receipt = await until(() => received.receipts.find((one) => one.messageid === id))
  expect(receipt).toMatchObject({ progress: 'Delivered', own: true })

  await connection.showPresence(toPersonJid(BEN), 'composing', createDeadline())
  const { id: messageid } = await on.sim<{ id: string }>('POST', '/messages', {
    from: BEN,
    to: number,
    text: 'hi',
  })
  await until(() => received.messages.find((one) => one.messageid === messageid))
  const key = { messageid: messageid, chatid: toPersonJid(BEN), sender: toPersonJid(BEN), isGroup: false }
  expect(await connection.markRead([key], createDeadline())).toMatchObject({ kind: 'done' })
  const { callId } = await on.sim<{ callId: string }>('POST', '/calls', { from: BEN, to: number })
  const { creator } = await until(() => received.calls.find(({ callid }) => callid === callId))
  expect(await connection.rejectCall(callId, creator.id, createDeadline())).toMatchObject({ kind: 'done' })
  expect(await on.sim('GET', `/calls/${callId}`)).toMatchObject({ state: 'reject' })
  const status = `STATUS${number}`
  expect(await sendText(line, status, 'status@broadcast', [toPersonJid(BEN)])).toMatchObject({ kind: 'done' })
  expect((await readInbox(BEN, on)).find((one) => one.id === status)).toMatchObject({
    chat: 'status@broadcast',
  })
  return {
    text: await findForm(number, { what: 'message', id }, on),
    chatstate: await findForm(number, { what: 'chatstate' }, on),
    read: await findForm(number, { what: 'receipt', type: 'read' }, on),
    call: await findForm(number, { what: 'call', did: 'reject' }, on),
    status: await findForm(number, { what: 'message', id: status }, on),
  }
}

const useForm = (form: string) => ({ text: form, chatstate: form, read: form, call: form, status: form })

test.each([
  [true, 'lid'],
  [false, 'pn'],
])('all messages are sent to the address that suits the account (migrated: %s)', async (migrated, form) => {
  const { number, instance } = await linkPhone(migrated)
  const first = await openDevice(instance)
  expect(await sendEachForm(number, first)).toEqual(useForm(form))
  const sent = (await readLog(number)).find(({ id }) => id === `TEXT${number}`)
  expect(sent?.peerRecipientPn).toBe(migrated ? toPersonJid(BEN) : undefined)

  // The next socket knows it too, before the network has reported it.
  await first.connection.close()
  const next = await openDevice(instance)
  expect(await sendText(next, `AGAIN${number}`, toPersonJid(CARL))).toMatchObject({ kind: 'done' })
})

test('an account that migrates during a session sends by LID from then on', async () => {
  const { number, instance } = await linkPhone(false)
  const line = await openDevice(instance)
  expect(await sendText(line, 'BEFORE', toPersonJid(BEN))).toMatchObject({ kind: 'done' })
  expect(await world.sim('PATCH', `/phones/${number}`, { lidMigrated: true })).toMatchObject({
    lidMigrated: true,
  })
  // The message of its phone is decrypted after it has arrived, so that no response of the network says when it is read.
  await until(async () => isMigrated(await readCreds(world.credentials, instance)))
  expect(await sendText(line, 'AFTER', toPersonJid(BEN))).toMatchObject({ kind: 'done' })
  expect((await readInbox(BEN)).map(({ id }) => id)).toEqual(expect.arrayContaining(['BEFORE', 'AFTER']))
  expect(await findForm(number, { what: 'message', id: 'BEFORE' })).toBe('pn')
  expect(await findForm(number, { what: 'message', id: 'AFTER' })).toBe('lid')
})

test('a device that missed the message of its phone learns from the network that the account is migrated', async () => {
  const { number, instance } = await linkPhone(false)
  // Without the message of the phone.
  await world.sim('POST', '/phones', { number, lidMigrated: true })
  const line = await openDevice(instance)
  await until(async () => (await readLog(number)).some(({ what }) => what === 'iq') || undefined)
  await until(async () => (await sendText(line, crypto.randomUUID(), toPersonJid(BEN))).kind === 'done')
  expect((await readLog(number)).findLast(({ what }) => what === 'message')?.form).toBe('lid')
})

test.each([true, false])(
  'a message that a recipient cannot read is sent to it again (migrated: %s)',
  async (migrated) => {
    const { number, instance } = await linkPhone(migrated)
    const ben = await linkPhone(true)
    const [from, to] = [await openDevice(instance), await openDevice(ben.instance)]
    await world.sim('POST', '/faults', { kind: 'garble', number: ben.number, count: 1 })
    const id = `GARBLED${number}`
    expect(await sendText(from, id, toPersonJid(ben.number))).toMatchObject({ kind: 'done' })
    await until(() => to.received.messages.find((one) => one.messageid === id && one.type === 'text'))
  },
)

test.each([true, false])(
  'a message that another device of the account cannot read is sent to it again, in its chat (migrated: %s)',
  async (migrated) => {
    const { number, instance } = await linkPhone(migrated)
    const second = await world.linkPhone(number)
    const [from, to] = [await openDevice(instance), await openDevice(second)]
    await world.sim('POST', '/faults', { kind: 'garble', number, count: 1 })
    const id = `OWN${number}`
    expect(await sendText(from, id, toPersonJid(BEN))).toMatchObject({ kind: 'done' })
    const shown = await until(() =>
      to.received.messages.find((one) => one.messageid === id && one.type === 'text'),
    )
    expect(shown).toMatchObject({ fromMe: true, chat: { id: toPersonJid(BEN) } })
  },
)

test('a recipient without listed devices gets the message on its phone', async () => {
  const { number, instance } = await linkPhone(true)
  const line = await openDevice(instance)
  await world.sim('POST', '/faults', { kind: 'empty_devices', number })
  expect(await sendText(line, `LISTED${number}`, toPersonJid(BEN))).toMatchObject({ kind: 'done' })
  expect((await readInbox(BEN)).some(({ id }) => id === `LISTED${number}`)).toBe(true)
  const missing = '5511360009999'
  expect(await sendText(line, 'NOBODY', toPersonJid(missing))).toMatchObject({ kind: 'refused', code: 404 })
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
    const { number, instance } = await linkPhone(migrated, other)
    const line = await openDevice(instance, other)
    // By number the network may show no devices, which is not the reason for the refusal.
    await other.sim('POST', '/faults', { kind: 'empty_devices', number, count: 1 })
    expect(await sendText(line, 'WRONG', toPersonJid(BEN))).toMatchObject({ kind: 'refused', code })
    await other.sim('POST', '/phones', { number, lidMigrated: !migrated })
    expect(await sendEachForm(number, line, other)).toEqual(useForm(dmAddressing))
  },
)
