// Ids are chosen by senders: what a stranger says of an id counts in his own chat, and never hides or changes what others wrote.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { machineClock } from '../../session-host/clock.ts'
import type {
  Driver,
  NetworkGroup,
  NetworkMessage,
  Person,
  Receipt,
} from '../../session-host/driver/driver.ts'
import { silentLog } from '../../session-host/log.ts'
import { networkId } from '../../session-host/message-names.ts'
import { makeMetrics } from '../../session-host/metrics.ts'
import { makeOutbox } from '../../session-host/outbox.ts'
import type { SessionDeps } from '../../session-host/sessions/deps.ts'
import { makeGroups } from '../../session-host/sessions/groups.ts'
import { type Intake, makeIntake } from '../../session-host/sessions/intake.ts'
import { KeptState } from '../../session-host/sessions/kept-state.ts'
import { fenceStore } from '../../session-host/store/fencing.ts'
import { listMessages } from '../../session-host/store/messages.ts'
import { openStore, type Store } from '../../session-host/store/store.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'strangers-'))
const GROUP = '120363000000000001@g.us'
const instance = crypto.randomUUID()
let store: Store
let intake: Intake
let keepGroup: (group: NetworkGroup) => Promise<void>

const someone = (digits: string): Person => {
  const pn = `${digits}@s.msgnet.net`
  return { id: pn, pn, lid: `${digits.slice(-9)}@lid` }
}
const me = someone('5511900000000')
const friend = someone('5511911111111')
const stranger = someone('5511922222222')
const group: Person = { id: GROUP, pn: '', lid: '' }

beforeAll(async () => {
  store = await openStore(join(dataDir, 'host.db'), () => undefined)
  const held = fenceStore(store, { runs: true }, '')
  held.writeUnder(instance, 1)
  const parts: SessionDeps = {
    ...{ store: held, lease: { runs: true }, outbox: makeOutbox(held, silentLog()), log: silentLog() },
    clock: machineClock,
    ...{ driver: { editedForm: (encoded) => encoded } as Driver, metrics: makeMetrics() },
    ...{ sealer: {} as SessionDeps['sealer'], resolveFrom: () => undefined, inherit: async () => undefined },
  }
  const state = new KeptState(held, parts.outbox, {
    ...{ instance, holder: '', kind: 'msgnet', epoch: 1, rev: 0, wanted: true, status: 'connected' },
    ...{ jid: me.id, lid: me.lid, profileName: '', lastDisconnect: 0, lastDisconnectReason: '', proxy: null },
  })
  intake = makeIntake(parts, state, () => groups)
  const groups = makeGroups(parts, state, intake)
  keepGroup = groups.keep
})

afterAll(async () => {
  await intake.end()
  await store.close()
  rmSync(dataDir, { recursive: true, force: true })
})

let ids = 0
const newId = () => `3EB0${String(++ids).padStart(16, '0')}`
let clock = 1_790_000_000_000

function from(sender: Person, said: Partial<NetworkMessage>): NetworkMessage {
  return {
    ...{ messageid: newId(), chat: sender, sender, senderName: '', isGroup: false, fromMe: false },
    ...{ messageType: 'conversation', type: 'text', mediaType: '', text: '', quoted: '', reaction: '' },
    ...{ target: '', targetAuthor: '', content: {}, at: clock++, encoded: new Uint8Array([1]) },
    ...said,
  }
}
const inGroup = (sender: Person, said: Partial<NetworkMessage>) =>
  from(sender, { chat: group, isGroup: true, ...said })

async function reports(): Promise<{ type: string; payload: Record<string, never> & { event: never } }[]> {
  return (await store.rows('SELECT report FROM outbox ORDER BY n')).map(({ report }) =>
    JSON.parse(String(report)),
  )
}
/** What was told since the last look. */
let seen = 0
async function told() {
  const all = (await reports()).slice(seen)
  seen += all.length
  return all
}
const take = async (...messages: NetworkMessage[]) => {
  await told()
  await intake.messages(messages)
  return told()
}
const idIn = (events: { payload: unknown }[]) =>
  (events[0] as { payload: { message: { messageid: string } } }).payload.message.messageid
const textsOf = async (chat: Person) =>
  (await listMessages(store, instance, { chatids: [chat.id] }, { limit: 100, offset: 0 })).map(
    ({ text }) => text,
  )

test("a stranger's revoke of an id that was not seen yet does not hide a friend's message of that id", async () => {
  const id = newId()
  await take(from(stranger, { type: 'delete', target: id }))
  const events = await take(from(friend, { messageid: id, text: 'still here' }))
  expect(events).toMatchObject([
    { type: 'messages', payload: { message: { messageid: id, text: 'still here' } } },
  ])
  expect(await intake.find(id)).toMatchObject({
    chatid: friend.id,
    record: { status: '', text: 'still here' },
  })
  // The stranger's own, should it come, stays hidden.
  expect(await take(from(stranger, { messageid: id, text: 'never mind' }))).toEqual([])
})

test('a message that was taken back by its author before it came stays away', async () => {
  const id = newId()
  const events = await take(from(friend, { type: 'delete', target: id }))
  expect(events).toMatchObject([{ type: 'messages_update', payload: { event: { MessageIDs: [id] } } }])
  expect(await take(from(friend, { messageid: id, text: 'too late' }))).toEqual([])
})

test("a stranger's message with a friend's id neither overwrites nor hides it, whichever comes first", async () => {
  for (const [one, other] of [
    [friend, stranger],
    [stranger, friend],
  ] as const) {
    const id = newId()
    const first = await take(from(one, { messageid: id, text: `first ${id}` }))
    const second = await take(from(other, { messageid: id, text: `second ${id}` }))
    expect(first).toMatchObject([{ payload: { message: { messageid: id, chatid: one.id } } }])
    const messageid = idIn(second)
    expect(messageid).not.toBe(id)
    expect(networkId(messageid)).toBe(id)
    expect(await textsOf(one)).toContain(`first ${id}`)
    expect(await textsOf(other)).toContain(`second ${id}`)
    expect(await intake.find(messageid)).toMatchObject({ chatid: other.id })
    // Brought twice, each is told once.
    expect(await take(from(one, { messageid: id }), from(other, { messageid: id }))).toEqual([])
    // What its author does to the second, is done to it.
    const edited = await take(from(other, { type: 'edit', target: id, text: 'edited' }))
    expect(edited).toMatchObject([{ payload: { event: { messageid, chatid: other.id, text: 'edited' } } }])
    await take(from(other, { type: 'delete', target: id }))
    expect((await intake.find(messageid))?.record.status).toBe('Deleted')
    expect(await intake.find(id)).toMatchObject({ record: { status: '', text: `first ${id}` } })
  }
})

test('nobody takes the name under which a second message would be kept', async () => {
  const id = newId()
  await take(from(stranger, { messageid: id }))
  const events = await take(from(friend, { messageid: id, text: 'mine' }))
  const messageid = idIn(events)
  const thief = someone('5511933333333')
  await take(from(thief, { messageid, text: 'stolen' }))
  expect(await intake.find(messageid)).toMatchObject({ chatid: friend.id, record: { text: 'mine' } })
})

test("a stranger's edits, revokes and reactions change nothing in another chat, and edits and revokes are not told", async () => {
  const id = newId()
  await take(from(friend, { messageid: id, text: 'as it was' }))
  for (const type of ['edit', 'delete'] as const)
    expect(await take(from(stranger, { type, target: id, text: 'hacked' }))).toEqual([])
  await take(from(stranger, { type: 'reaction', reaction: id, text: '💩' }))
  expect((await intake.find(id))?.record).toMatchObject({ text: 'as it was', status: '', content: {} })
})

test('a reaction counts in its own chat, and no more of it is kept than an emoji takes', async () => {
  const id = newId()
  await take(from(friend, { messageid: id, text: 'nice' }))
  await take(from(friend, { type: 'reaction', reaction: id, text: '👍'.repeat(1000) }))
  const reactions = (await intake.find(id))?.record.content.reactions as { text: string }[]
  expect(reactions).toEqual([{ sender: friend.id, text: '👍'.repeat(64) }])
})

test("a stranger's receipt for what was not sent to him counts for nothing", async () => {
  const id = newId()
  const own = from(me, { messageid: id, chat: friend, fromMe: true, progress: 'Sent', text: 'to you' })
  await take(own)
  const receipt = (by: Person): Receipt => ({
    ...{ messageid: id, progress: 'Read', chat: by, by, isGroup: false, ours: true, at: clock++ },
  })
  intake.receipts([receipt(stranger)])
  expect(await take()).toEqual([])
  expect((await intake.find(id))?.record.status).toBe('Sent')
  intake.receipts([receipt({ ...friend, id: friend.lid, pn: '' })])
  await intake.messages([])
  expect((await intake.find(id))?.record.status).toBe('Read')
  // Nor is a message of his that is in his chat a message of ours.
  const his = newId()
  await take(from(friend, { messageid: his, text: 'mine' }))
  intake.receipts([{ ...receipt(friend), messageid: his }])
  expect(await take()).toEqual([])
})

test('a stranger repairs no message that did not decrypt', async () => {
  const id = newId()
  await take(from(friend, { messageid: id, type: 'undecryptable', text: 'no session' }))
  await take(from(stranger, { messageid: id, text: 'hello' }))
  expect(await store.rows('SELECT 1 FROM unreadable WHERE messageid LIKE ?', `${id}%`)).toHaveLength(1)
  await take(from(friend, { messageid: id, text: 'repaired' }))
  expect(await store.rows('SELECT 1 FROM unreadable WHERE messageid LIKE ?', `${id}%`)).toHaveLength(0)
  expect(await textsOf(friend)).toContain('repaired')
})

test('in a group admins take back what others wrote, members only their own, and nobody what is elsewhere', async () => {
  const [admin, member] = [someone('5511944444444'), someone('5511955555555')]
  const role = (person: Person, role: 'member' | 'admin') => ({ ...person, role, name: '', error: 0 })
  await keepGroup({
    ...{ jid: GROUP, owner: admin, subject: 'all', topic: '', created: 1, locked: false, announce: false },
    ...{ ephemeral: 0, joinApproval: false, memberAddMode: 'all_member_add', addressing: 'pn' },
    members: [role(admin, 'admin'), role(member, 'member'), role(friend, 'member')],
  })
  const revoke = (by: Person, target: string) =>
    inGroup(by, { type: 'delete', target, targetAuthor: friend.id })
  const [id, unseen, direct] = [newId(), newId(), newId()]
  await take(
    inGroup(friend, { messageid: id, text: 'to all' }),
    from(friend, { messageid: direct, text: 'to you' }),
  )
  expect(await take(revoke(member, id), revoke(member, unseen), revoke(admin, direct))).toEqual([])
  expect((await intake.find(id))?.record.text).toBe('to all')
  expect((await intake.find(direct))?.record.text).toBe('to you')

  const events = await take(revoke(admin, id), revoke(admin, unseen))
  expect(events.map(({ type }) => type)).toEqual(['messages_update', 'messages_update'])
  expect((await intake.find(id))?.record.status).toBe('Deleted')
  expect(await take(inGroup(friend, { messageid: unseen, text: 'too late' }))).toEqual([])
  expect(await take(inGroup(member, { messageid: unseen, text: 'another' }))).toHaveLength(1)
})
