// Ids are chosen by senders: what a stranger says of an id counts in his own chat, and never hides or changes what others wrote.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type {
  Driver,
  NetworkGroup,
  NetworkMessage,
  Person,
  Receipt,
} from '@msgnet/session-host/driver/driver.ts'
import { toNetworkId } from '@msgnet/session-host/driver/message-names.ts'
import { Metrics } from '@msgnet/session-host/metrics/host-metrics.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { machineClock } from '@msgnet/session-host/process/machine-clock.ts'
import { Outbox } from '@msgnet/session-host/reports/outbox.ts'
import { Intake } from '@msgnet/session-host/sessions/intake.ts'
import type { SessionDeps } from '@msgnet/session-host/sessions/session-deps.ts'
import { Groups } from '@msgnet/session-host/sessions/session-groups.ts'
import { StoredState } from '@msgnet/session-host/sessions/stored-state.ts'
import { FencedStore } from '@msgnet/session-host/store/fenced-store.ts'
import { openStore, type Store } from '@msgnet/session-host/store/host-store.ts'
import { listMessages } from '@msgnet/session-host/store/message-store.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

const dataDir = mkdtempSync(join(tmpdir(), 'strangers-'))
const GROUP = '120363000000000001@g.us'
const instance = crypto.randomUUID()
let store: Store
let intake: Intake
let storeGroup: (group: NetworkGroup) => Promise<void>

const createPerson = (digits: string): Person => {
  const pn = `${digits}@s.msgnet.net`
  return { id: pn, pn, lid: `${digits.slice(-9)}@lid` }
}
const me = createPerson('5511900000000')
const friend = createPerson('5511911111111')
const stranger = createPerson('5511922222222')
const group: Person = { id: GROUP, pn: '', lid: '' }

beforeAll(async () => {
  store = await openStore(join(dataDir, 'host.db'), () => undefined)
  const fenced = new FencedStore(store, { runs: true }, '')
  fenced.setEpoch(instance, 1)
  const parts: SessionDeps = {
    store: fenced,
    lease: { runs: true },
    outbox: new Outbox(fenced, createSilentLog()),
    presence: { add: () => undefined },
    storedMedia: { isOn: false, isStorable: () => false } as unknown as SessionDeps['storedMedia'],
    logins: { countLogin: () => undefined },
    log: createSilentLog(),
    clock: machineClock,
    driver: { applyEdit: (_, edit) => edit } as Partial<Driver> as Driver,
    metrics: new Metrics(),
    scheduled: {} as SessionDeps['scheduled'],
    sealer: {} as SessionDeps['sealer'],
    replaceKeys: () => ({}) as ReturnType<SessionDeps['replaceKeys']>,
    resolveFromRecord: () => undefined,
    loadTrackedActs: async () => undefined,
  }
  const state = new StoredState(fenced, parts.outbox, {
    instance,
    holder: '',
    kind: 'msgnet',
    epoch: 1,
    rev: 0,
    wanted: true,
    status: 'connected',
    jid: me.id,
    lid: me.lid,
    profileName: '',
    lastDisconnect: 0,
    lastDisconnectReason: '',
    proxy: null,
    history: null,
    coverage: null,
    online: false,
  })
  intake = new Intake(parts, state, () => groups)
  const groups = new Groups(parts, state, intake)
  storeGroup = (group) => groups.storeGroup(group)
})

afterAll(async () => {
  await intake.stop()
  await store.close()
  rmSync(dataDir, { recursive: true, force: true })
})

let ids = 0
const createId = () => `3EB0${String(++ids).padStart(16, '0')}`
let clock = 1_790_000_000_000

function createMessage(sender: Person, fields: Partial<NetworkMessage>): NetworkMessage {
  return {
    messageid: createId(),
    chat: sender,
    sender,
    senderName: '',
    isGroup: false,
    fromMe: false,
    messageType: 'conversation',
    type: 'text',
    mediaType: '',
    text: '',
    quoted: '',
    reaction: '',
    target: '',
    targetAuthor: '',
    content: {},
    at: clock++,
    encoded: new Uint8Array([1]),
    ...fields,
  }
}
const createGroupMessage = (sender: Person, fields: Partial<NetworkMessage>) =>
  createMessage(sender, { chat: group, isGroup: true, ...fields })

async function readReports(): Promise<{ type: string; payload: Record<string, never> & { event: never } }[]> {
  return (await store.rows('SELECT report FROM outbox ORDER BY n')).map(({ report }) =>
    JSON.parse(String(report)),
  )
}
/** Reports since the last call. */
let seen = 0
async function readNewReports() {
  const all = (await readReports()).slice(seen)
  seen += all.length
  return all
}
const takeMessages = async (...messages: NetworkMessage[]) => {
  await readNewReports()
  await intake.storeMessages(messages)
  return readNewReports()
}
const findId = (events: { payload: unknown }[]) =>
  (events[0] as { payload: { message: { messageid: string } } }).payload.message.messageid
const listTexts = async (chat: Person) =>
  (await listMessages(store, instance, { chatids: [chat.id] }, { limit: 100, offset: 0 })).map(
    ({ text }) => text,
  )

test("a stranger's revoke of an id that was not seen yet does not hide a friend's message of that id", async () => {
  const id = createId()
  await takeMessages(createMessage(stranger, { type: 'delete', target: id }))
  const events = await takeMessages(createMessage(friend, { messageid: id, text: 'still here' }))
  expect(events).toMatchObject([
    { type: 'messages', payload: { message: { messageid: id, text: 'still here' } } },
  ])
  expect(await intake.findMessage(id)).toMatchObject({
    chatid: friend.id,
    record: { status: '', text: 'still here' },
  })
  // The stranger's own, should it come, stays hidden.
  expect(await takeMessages(createMessage(stranger, { messageid: id, text: 'never mind' }))).toEqual([])
})

test('a message deleted by its author before it arrived is not reported', async () => {
  const id = createId()
  const events = await takeMessages(createMessage(friend, { type: 'delete', target: id }))
  expect(events).toMatchObject([{ type: 'messages_update', payload: { event: { MessageIDs: [id] } } }])
  expect(await takeMessages(createMessage(friend, { messageid: id, text: 'too late' }))).toEqual([])
})

test("a stranger's message with a friend's id neither overwrites nor hides it, whichever comes first", async () => {
  for (const [one, other] of [
    [friend, stranger],
    [stranger, friend],
  ] as const) {
    const id = createId()
    const first = await takeMessages(createMessage(one, { messageid: id, text: `first ${id}` }))
    const second = await takeMessages(createMessage(other, { messageid: id, text: `second ${id}` }))
    expect(first).toMatchObject([{ payload: { message: { messageid: id, chatid: one.id } } }])
    const messageid = findId(second)
    expect(messageid).not.toBe(id)
    expect(toNetworkId(messageid)).toBe(id)
    expect(await listTexts(one)).toContain(`first ${id}`)
    expect(await listTexts(other)).toContain(`second ${id}`)
    expect(await intake.findMessage(messageid)).toMatchObject({ chatid: other.id })
    // Delivered twice, each is reported once.
    expect(
      await takeMessages(createMessage(one, { messageid: id }), createMessage(other, { messageid: id })),
    ).toEqual([])
    // What its author does to the second, is done to it.
    const edited = await takeMessages(createMessage(other, { type: 'edit', target: id, text: 'edited' }))
    expect(edited).toMatchObject([{ payload: { event: { messageid, chatid: other.id, text: 'edited' } } }])
    await takeMessages(createMessage(other, { type: 'delete', target: id }))
    expect((await intake.findMessage(messageid))?.record.status).toBe('Deleted')
    expect(await intake.findMessage(id)).toMatchObject({ record: { status: '', text: `first ${id}` } })
  }
})

test('a sender cannot take the name under which a second message would be stored', async () => {
  const id = createId()
  await takeMessages(createMessage(stranger, { messageid: id }))
  const events = await takeMessages(createMessage(friend, { messageid: id, text: 'mine' }))
  const messageid = findId(events)
  const thief = createPerson('5511933333333')
  await takeMessages(createMessage(thief, { messageid, text: 'stolen' }))
  expect(await intake.findMessage(messageid)).toMatchObject({ chatid: friend.id, record: { text: 'mine' } })
})

test("a stranger's edits, revokes and reactions change nothing in another chat, and edits and revokes are not reported", async () => {
  const id = createId()
  await takeMessages(createMessage(friend, { messageid: id, text: 'as it was' }))
  for (const type of ['edit', 'delete'] as const)
    expect(await takeMessages(createMessage(stranger, { type, target: id, text: 'hacked' }))).toEqual([])
  await takeMessages(createMessage(stranger, { type: 'reaction', reaction: id, text: '💩' }))
  expect((await intake.findMessage(id))?.record).toMatchObject({ text: 'as it was', status: '', content: {} })
})

test('a reaction counts in its own chat, and is cut to the length of an emoji', async () => {
  const id = createId()
  await takeMessages(createMessage(friend, { messageid: id, text: 'nice' }))
  await takeMessages(createMessage(friend, { type: 'reaction', reaction: id, text: '👍'.repeat(1000) }))
  const reactions = (await intake.findMessage(id))?.record.content.reactions as { text: string }[]
  expect(reactions).toEqual([expect.objectContaining({ sender: friend.id, text: '👍'.repeat(64) })])
  expect(reactions[0]).toMatchObject({ fromMe: false })
})

test('a receipt from a stranger who was not sent the message changes nothing', async () => {
  const id = createId()
  const own = createMessage(me, {
    messageid: id,
    chat: friend,
    fromMe: true,
    progress: 'Sent',
    text: 'to you',
  })
  await takeMessages(own)
  const createReceipt = (by: Person): Receipt => ({
    messageid: id,
    progress: 'Read',
    chat: by,
    by,
    isGroup: false,
    own: true,
    at: clock++,
  })
  intake.storeReceipts([createReceipt(stranger)])
  expect(await takeMessages()).toEqual([])
  expect((await intake.findMessage(id))?.record.status).toBe('Sent')
  intake.storeReceipts([createReceipt({ ...friend, id: friend.lid, pn: '' })])
  await intake.storeMessages([])
  expect((await intake.findMessage(id))?.record.status).toBe('Read')
  // A message of the friend in that chat is not ours either.
  const his = createId()
  await takeMessages(createMessage(friend, { messageid: his, text: 'mine' }))
  intake.storeReceipts([{ ...createReceipt(friend), messageid: his }])
  expect(await takeMessages()).toEqual([])
})

test('a stranger cannot repair an undecryptable message', async () => {
  const id = createId()
  await takeMessages(createMessage(friend, { messageid: id, type: 'undecryptable', text: 'no session' }))
  await takeMessages(createMessage(stranger, { messageid: id, text: 'hello' }))
  expect(await store.rows('SELECT 1 FROM undecryptable WHERE messageid LIKE ?', `${id}%`)).toHaveLength(1)
  await takeMessages(createMessage(friend, { messageid: id, text: 'repaired' }))
  expect(await store.rows('SELECT 1 FROM undecryptable WHERE messageid LIKE ?', `${id}%`)).toHaveLength(0)
  expect(await listTexts(friend)).toContain('repaired')
})

test('admins delete any message of their group, members only their own, and neither deletes in other chats', async () => {
  const [admin, member] = [createPerson('5511944444444'), createPerson('5511955555555')]
  const role = (person: Person, role: 'member' | 'admin') => ({ ...person, role, name: '', error: 0 })
  await storeGroup({
    jid: GROUP,
    owner: admin,
    subject: 'all',
    topic: '',
    created: 1,
    locked: false,
    announce: false,
    ephemeral: 0,
    joinApproval: false,
    memberAddMode: 'all_member_add',
    addressing: 'pn',
    members: [role(admin, 'admin'), role(member, 'member'), role(friend, 'member')],
  })
  const createRevocation = (by: Person, target: string) =>
    createGroupMessage(by, { type: 'delete', target, targetAuthor: friend.id })
  const [id, unseen, direct] = [createId(), createId(), createId()]
  await takeMessages(
    createGroupMessage(friend, { messageid: id, text: 'to all' }),
    createMessage(friend, { messageid: direct, text: 'to you' }),
  )
  expect(
    await takeMessages(
      createRevocation(member, id),
      createRevocation(member, unseen),
      createRevocation(admin, direct),
    ),
  ).toEqual([])
  expect((await intake.findMessage(id))?.record.text).toBe('to all')
  expect((await intake.findMessage(direct))?.record.text).toBe('to you')

  const events = await takeMessages(createRevocation(admin, id), createRevocation(admin, unseen))
  expect(events.map(({ type }) => type)).toEqual(['messages_update', 'messages_update'])
  expect((await intake.findMessage(id))?.record.status).toBe('Deleted')
  expect(await takeMessages(createGroupMessage(friend, { messageid: unseen, text: 'too late' }))).toEqual([])
  expect(await takeMessages(createGroupMessage(member, { messageid: unseen, text: 'another' }))).toHaveLength(
    1,
  )
})
