// The link under trouble: no report is lost, no act is done twice.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { breakStore } from '../journey/endings/broken-store.ts'
import { until } from '../until.ts'
import { createTextInput, KIND, startWorld, type World } from './world.ts'

let world: World
const ANNA = '5511600000001'
const BEN = '5511600000002'
const TO_BEN = `${BEN}@s.msgnet.net`

beforeEach(async () => {
  world = await startWorld()
  await world.createPhone(BEN)
})
afterEach(() => world.close())

const readInbox = async () =>
  (await world.sim<{ messages: { id: string }[] }>('GET', `/phones/${BEN}/inbox`)).messages
async function readBoot(): Promise<string> {
  const hello = await until(() => world.edge.frames.find((frame) => frame.t === 'hello'))
  return hello.boot
}
const listFrames = (t: string) => world.edge.frames.filter((frame) => frame.t === t)

test('the host identifies itself with its token and reports its sessions', async () => {
  const instance = await world.linkPhone(ANNA)
  expect(world.edge.authorization).toBe(`Bearer ${world.config.hostToken}`)
  world.edge.cutLink()
  await until(() => listFrames('hello').length === 2)
  expect(listFrames('hello')[1]).toMatchObject({ sessions: [{ instance, epoch: 1, status: 'connected' }] })
  await until(() => listFrames('beat').length > 0)
})

test('unacknowledged events are sent again from the first, in order, within the credit', async () => {
  const instance = await world.linkPhone(ANNA)
  world.edge.acknowledging = false
  const before = world.edge.reports.length
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'one', count: 5 })
  await until(() => world.edge.reports.length > before)
  const first = world.edge.reports[before]
  world.edge.cutLink()
  await world.edge.waitUntilLinked()
  await until(() => world.edge.reports.slice(before + 1).some(({ n }) => n === first?.n))
  world.edge.acknowledging = true
  world.edge.cutLink()
  await until(() => new Set(world.edge.listEvents(instance, 'messages').map(({ id }) => id)).size === 5)
  const order = world.edge.reports.map(({ n }) => n)
  const afterLastLink = order.slice(order.lastIndexOf(first?.n ?? 0))
  expect(afterLastLink).toEqual([...afterLastLink].sort((a, b) => a - b))
})

test('a state is sent ahead of unacknowledged events, and again in its place', async () => {
  const instance = await world.linkPhone(ANNA)
  world.edge.acknowledging = false
  const countMessages = () => world.edge.listEvents(instance, 'messages').length
  const framesBefore = listFrames('events').length
  const countFrames = () => listFrames('events').length - framesBefore
  // Two frames are all that the edge takes ahead, and the last report of the linking may be in the first: the next message waits.
  for (let frames = 0; frames < 2; frames = countFrames()) {
    await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: `after ${frames} frames` })
    await until(() => countFrames() > frames)
  }
  const messagesAhead = countMessages()
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'waits' })
  await world.sim('POST', '/faults', { kind: 'close', number: ANNA, code: 503, count: 1 })
  const listStates = () => world.edge.reports.filter((report) => report.t === 'state')
  const ahead = await until(() => listStates().find(({ n, state }) => n === 0 && !state.loggedIn))
  expect(countMessages()).toBe(messagesAhead)

  world.edge.acknowledging = true
  world.edge.cutLink()
  const again = await until(() => listStates().find(({ n, state }) => n > 0 && state.rev === ahead.state.rev))
  expect({ ...again, n: 0 }).toEqual(ahead)
})

test('an outcome is sent until the edge has seen it', async () => {
  await world.linkPhone(ANNA)
  world.edge.seeing = false
  const id = crypto.randomUUID()
  await world.edge.performAction(crypto.randomUUID(), 'session.disconnect', {}, { id })
  const countOutcomes = () =>
    world.edge.frames.filter((frame) => frame.t === 'outcome' && frame.id === id).length
  world.edge.cutLink()
  await until(() => countOutcomes() === 2)
  world.edge.seeing = true
  world.edge.cutLink()
  await until(() => countOutcomes() === 3)
  const links = listFrames('hello').length
  world.edge.cutLink()
  await until(() => listFrames('hello').length > links && world.edge.frames.at(-1)?.t === 'beat')
  expect(countOutcomes()).toBe(3)
})

test('an act that arrives twice before its outcome was seen is done once', async () => {
  const instance = await world.linkPhone(ANNA)
  world.edge.seeing = false
  const id = crypto.randomUUID()
  const input = createTextInput(TO_BEN, 'once')
  const act = { t: 'act', id, instance, epoch: 1, action: 'message.sendText', input, budget: 5000 } as const
  world.edge.sendFrames(act, act)
  await world.edge.waitForOutcome(id)
  world.edge.sendFrames(act)
  await world.edge.performAction(instance, 'message.sendText', createTextInput(TO_BEN, 'after it'))
  await until(async () => (await readInbox()).length === 2)
  expect(world.edge.frames.filter((frame) => frame.t === 'accepted' && frame.id === id)).toHaveLength(1)
})

test('a query for an act is answered with its outcome, or with not started', async () => {
  const instance = await world.linkPhone(ANNA)
  world.edge.seeing = false
  const id = crypto.randomUUID()
  await world.edge.performAction(instance, 'message.sendText', createTextInput(TO_BEN, 'hi'), { id })
  const before = world.edge.frames.length
  const stranger = crypto.randomUUID()
  world.edge.sendFrames({ t: 'what', id }, { t: 'what', id: stranger })
  await until(() =>
    world.edge.frames.slice(before).some((frame) => frame.t === 'not_started' && frame.id === stranger),
  )
  await until(() => world.edge.frames.slice(before).some((frame) => frame.t === 'outcome' && frame.id === id))
})

test('an act that was not started is refused ahead, and never started when it comes after all', async () => {
  const instance = await world.linkPhone(ANNA)
  const refuse = { instance, boot: await readBoot() }
  const late = crypto.randomUUID()
  world.edge.sendFrames({ t: 'what', id: late, refuse })
  const listAnswers = (id: string) =>
    listFrames('not_started').filter((frame) => 'id' in frame && frame.id === id)
  await until(() => listAnswers(late).length === 1)
  const act = { t: 'act', instance, epoch: 1, action: 'message.sendText', budget: 5000 } as const
  world.edge.sendFrames({ ...act, id: late, input: createTextInput(TO_BEN, 'too late') })
  await until(() => listAnswers(late).length === 2)
  world.edge.sendFrames({ t: 'what', id: late })
  await until(() => listAnswers(late).length === 3)
  expect(listAnswers(late)).toEqual(
    listAnswers(late).map(() => ({ t: 'not_started', id: late, never: true })),
  )

  const raced = crypto.randomUUID()
  world.edge.sendFrames(
    { t: 'what', id: raced, refuse },
    { ...act, id: raced, input: createTextInput(TO_BEN, 'just in time') },
  )
  expect(await world.edge.waitForOutcome(raced)).toMatchObject({ kind: 'done' })
  expect(listAnswers(raced)).toEqual([])
  await until(async () => (await readInbox()).length > 0)
  expect(await readInbox()).toHaveLength(1)
})

test('an act that a host has begun, or that another process or host was sent, is not refused ahead', async () => {
  const instance = await world.linkPhone(ANNA)
  const boot = await readBoot()
  const done = crypto.randomUUID()
  world.edge.seeing = false
  await world.edge.performAction(instance, 'message.sendText', createTextInput(TO_BEN, 'hi'), { id: done })
  const before = world.edge.frames.length
  const [other, foreign] = [crypto.randomUUID(), crypto.randomUUID()]
  world.edge.sendFrames(
    { t: 'what', id: done, refuse: { instance, boot } },
    { t: 'what', id: other, refuse: { instance, boot: crypto.randomUUID() } },
    { t: 'what', id: foreign, refuse: { instance: crypto.randomUUID(), boot } },
  )
  const findAnswer = (id: string) =>
    world.edge.frames.slice(before).find((frame) => 'id' in frame && frame.id === id)
  await until(() => [done, other, foreign].every(findAnswer))
  expect(findAnswer(done)).toMatchObject({ t: 'outcome', outcome: { kind: 'done' } })
  expect(findAnswer(other)).toEqual({ t: 'not_started', id: other })
  expect(findAnswer(foreign)).toEqual({ t: 'not_started', id: foreign })
})

test('an older assignment is refused, a newer one is taken over and reported', async () => {
  const instance = await world.linkPhone(ANNA)
  const newer = await world.edge.performAction(instance, 'session.connect', KIND, { epoch: 3 })
  expect(newer.kind).toBe('done')
  const older = await world.edge.performAction(instance, 'session.connect', KIND, { epoch: 2 })
  expect(older).toMatchObject({ kind: 'refused', fault: 'session_owned_elsewhere' })
  await world.edge.performAction(instance, 'session.restart', KIND, { epoch: 3 })
  expect(world.edge.reports.at(-1)?.epoch).toBe(3)
})

test('a released session is closed without logging out, and deleted', async () => {
  const instance = await world.linkPhone(ANNA)
  world.edge.release = [instance]
  world.edge.cutLink()
  await until(async () => {
    const { companions } = await world.sim<{ companions: { online: boolean }[] }>('GET', `/phones/${ANNA}`)
    return companions.length === 1 && companions[0]?.online === false
  })
  world.edge.release = []
  const links = listFrames('hello').length
  world.edge.cutLink()
  await until(() => listFrames('hello').length > links)
  expect(listFrames('hello').at(-1)).toMatchObject({ sessions: [] })
})

test('a session missing from the store is reported as lost, and connect shows a QR', async () => {
  const instance = crypto.randomUUID()
  world.edge.sendFrames({ t: 'hold', sessions: [{ instance, epoch: 1, kind: 'msgnet' }] })
  await until(() => world.findState(instance)?.lastDisconnectReason === 'bad_session')
  expect(world.findState(instance)).toMatchObject({ status: 'disconnected', loggedIn: false })
  const outcome = await world.edge.performAction(instance, 'session.connect', KIND)
  expect(outcome).toMatchObject({ kind: 'done', result: { pairing: { method: 'qr' } } })
})

test('a yielded session is closed and found by no act until the edge assigns it again', async () => {
  const instance = await world.linkPhone(ANNA)
  const isOnline = async () => {
    const { companions } = await world.sim<{ companions: { online: boolean }[] }>('GET', `/phones/${ANNA}`)
    return companions[0]?.online
  }
  world.edge.sendFrames({ t: 'yield', instances: [instance] })
  await until(() => listFrames('yielded').length === 1)
  expect(listFrames('yielded')[0]).toMatchObject({ sessions: [{ instance, epoch: 1 }] })
  expect(await isOnline()).toBe(false)
  const meanwhile = await world.edge.performAction(instance, 'session.connect', KIND)
  expect(meanwhile).toMatchObject({ kind: 'refused', fault: 'session_owned_elsewhere' })
  expect(await isOnline()).toBe(false)
  world.edge.sendFrames({ t: 'hold', sessions: [{ instance, epoch: 1, kind: 'msgnet' }] })
  await world.waitUntilLoggedIn(instance)
  expect(await isOnline()).toBe(true)
})

test('a deleted instance is removed when the host is notified', async () => {
  const instance = await world.linkPhone(ANNA)
  world.edge.gone = [instance]
  world.edge.cutLink()
  await until(() => listFrames('hello').length === 2)
  world.edge.gone = []
  await until(async () => {
    const links = listFrames('hello').length
    world.edge.cutLink()
    await until(() => listFrames('hello').length > links)
    const last = listFrames('hello').at(-1)
    return last?.t === 'hello' && last.sessions.length === 0
  })
})

test('sessions beyond the slots are refused, and a freed slot is used again', async () => {
  await world.restartHost({ slots: 1 })
  const instance = await world.linkPhone(ANNA)
  const other = crypto.randomUUID()
  const full = await world.edge.performAction(other, 'session.connect', KIND)
  expect(full).toMatchObject({ kind: 'refused', fault: 'worker_full' })
  await world.edge.performAction(instance, 'session.delete', {})
  const taken = await world.edge.performAction(other, 'session.connect', KIND)
  expect(taken).toMatchObject({ kind: 'done', result: { pairing: { method: 'qr' } } })
})

test('of two instances that are connected at once where one slot is left, one is refused', async () => {
  await world.restartHost({ slots: 1 })
  const instances = [crypto.randomUUID(), crypto.randomUUID()]
  const outcomes = await Promise.all(
    instances.map((instance) => world.edge.performAction(instance, 'session.connect', KIND)),
  )
  expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['done', 'refused'])
  expect(outcomes.find(({ kind }) => kind === 'refused')).toMatchObject({ fault: 'worker_full' })
})

test('unknown fields of a newer edge are ignored, and an unknown action is refused', async () => {
  const instance = await world.linkPhone(ANNA)
  const act = { t: 'act', instance, epoch: 1, budget: 5000, colour: 'green' }
  const [known, unheardOf] = [crypto.randomUUID(), crypto.randomUUID()]
  world.edge.sendText(
    JSON.stringify([
      { ...act, id: known, action: 'chat.find', input: { limit: 1, offset: 0, mood: 'good' } },
      { ...act, id: unheardOf, action: 'chat.paint', input: {} },
    ]),
  )
  expect((await world.edge.waitForOutcome(known)).kind).toBe('done')
  expect(await world.edge.waitForOutcome(unheardOf)).toMatchObject({
    kind: 'refused',
    fault: 'session_conflict',
  })
})

test('an unknown frame ends the link, and the host dials again', async () => {
  world.edge.sendText('[{"t":"what is this"}]')
  await until(() => listFrames('hello').length === 2)
})

test('an unresponsive edge is disconnected after 20 s', async () => {
  world.edge.answering = false
  world.clock.holdTime()
  await world.clock.moveTime(21 * SECOND)
  world.clock.releaseTime()
  await until(() => listFrames('hello').length === 2)
})

test('a store that fails during the welcome leaves no half-open link', async () => {
  const instance = await world.linkPhone(ANNA)
  const mend = breakStore(world.dataDir)
  world.edge.cutLink()
  // Welcomed, and dialled again because that came to nothing.
  await until(() => listFrames('hello').length > 2)
  await until(() => listFrames('beat').length > 0)
  mend()
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'are you there?' })
  await until(() => world.edge.listEvents(instance, 'messages').length === 1)
})
