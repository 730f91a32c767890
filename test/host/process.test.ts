// The host as a process: what it prints and leaves on disk, and what a kill, a signal and a wrong setting do.
// @module-tag slow

import { randomBytes } from 'node:crypto'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { type HostProcess, type ProcessWorld, startProcessWorld } from './process.ts'
import { createTextInput, KIND } from './world.ts'

const ANNA = '5511500000001'
const BEN = '5511500000002'

let world: ProcessWorld
let edge: ProcessWorld['edge']
/** The one that was started last. */
let host: HostProcess
/** Linked to Anna's phone by the first of them. */
let instance: string

beforeAll(async () => {
  world = await startProcessWorld()
  edge = world.edge
  await world.sim('POST', '/phones', { number: BEN })
})

afterAll(() => world.close())

test.each([
  [{ EDGE_URL: 'ftp://edge' }, /EDGE_URL/],
  [{ EDGE_URL: '' }, /EDGE_URL is not set/],
  [{ EDGE_URL: 'http://gateway.example' }, /EDGE_URL must be https/],
  [{ SESSION_STORE_URL: 'http://10.0.0.7:8080' }, /SESSION_STORE_URL must be https/],
  [{ HOST_TOKEN: 'secret' }, /HOST_TOKEN/],
  [{ HOST_SLOTS: 'many' }, /HOST_SLOTS/],
  [{ HOST_SEAL_KEYS: 'short:YQ==' }, /HOST_SEAL_KEYS/],
  [{ NETWORK_ROOT_KEY: 'zz' }, /NETWORK_ROOT_KEY/],
  [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL/],
])('a wrong setting %j is named in one sentence, and the process ends', async (change, sentence) => {
  const failing = world.runHost(change)
  expect(await failing.ended).toBe(1)
  expect(failing.readErrorOutput()).toMatch(sentence)
  expect(failing.readErrorOutput().trim().split('\n')).toHaveLength(1)
})

test('a killed host restores its reports, sessions and running acts', async () => {
  host = world.runHost()
  instance = await world.linkPhone(ANNA)
  await edge.performAction(
    instance,
    'message.sendText',
    createTextInput(`${BEN}@s.msgnet.net`, 'before the kill'),
  )
  edge.acknowledging = false
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'not acknowledged' })
  await until(() => world.listTexts(instance).includes('not acknowledged'))
  const first = edge.listEvents(instance, 'messages').at(-1)

  await world.sim('POST', '/faults', { kind: 'silent', tag: 'message', number: ANNA })
  const id = crypto.randomUUID()
  const quiet = '5511600000098'
  await world.sim('POST', '/phones', { number: quiet, autoReceipt: false })
  const interrupted = createTextInput(`${quiet}@s.msgnet.net`, 'running')
  edge.sendFrames({
    t: 'act',
    id,
    instance,
    epoch: 1,
    action: 'message.sendText',
    input: interrupted,
    budget: 20_000,
  })
  // Before, nothing would have left, and its outcome would be known.
  await until(async () => {
    const { entries } = await world.sim<{ entries: { what: string; id?: string }[] }>(
      'GET',
      `/log?number=${ANNA}`,
    )
    return entries.some((entry) => entry.what === 'message' && entry.id === interrupted.messageid)
  })
  host.child.kill('SIGKILL')
  await host.ended
  await world.sim('DELETE', '/faults')
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'while it was down' })

  edge.acknowledging = true
  const before = edge.reports.length
  host = world.runHost()
  expect(await edge.waitForOutcome(id)).toMatchObject({ kind: 'unknown' })
  await until(() => world.listTexts(instance).includes('while it was down'))
  const again = edge.reports.slice(before).find(({ n }) => n === first?.n)
  expect(again).toEqual(first)
  expect(world.listTexts(instance).filter((text) => text === 'while it was down')).toHaveLength(1)
})

test('SIGTERM closes the sockets without logging out, drains the outbox and ends the process', async () => {
  const began = performance.now()
  host.child.kill('SIGTERM')
  expect(await host.ended).toBe(0)
  expect(performance.now() - began).toBeLessThan(20_000)
  const { companions } = await world.sim<{ companions: { online: boolean }[] }>('GET', `/phones/${ANNA}`)
  expect(companions).toMatchObject([{ online: false }])
  const last = edge.reports.filter((report) => report.t === 'state').at(-1)
  expect(last?.state).toMatchObject({ status: 'connecting', connected: false })
})

test('the log is JSON lines only, and neither it nor the store holds a clear secret', async () => {
  host = world.runHost({ LOG_LEVEL: 'trace' })
  await until(() => edge.listStates(instance).at(-1)?.loggedIn)
  const text = createTextInput(`${BEN}@s.msgnet.net`, 'a-text-that-nobody-logs')
  await edge.performAction(instance, 'message.sendText', text)
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: 'an-answer-that-nobody-logs' })
  await until(() => world.listTexts(instance).includes('an-answer-that-nobody-logs'))
  expect(host.readLines().length).toBeGreaterThan(3)
  expect(host.readOutput()).not.toMatch(/nobody-logs|privKey|noiseKey|mgh_|"qr"/)
  expect(host.readErrorOutput()).toBe('')

  const disk = ['host.db', 'host.db-wal']
    .map((file) => readFileSync(join(world.folder, file)).toString('latin1'))
    .join()
  expect(disk).toContain('credentials')
  expect(disk).not.toMatch(/noiseKey|signedIdentityKey|advSecretKey|"_sessions"|privKey|mgh_/)
})

test('an act whose budget ended while the process was frozen is not started, and its instance is named', async () => {
  const about = { t: 'act', instance, epoch: 1, action: 'message.sendText', budget: 2000 } as const
  const [late, fresh] = [crypto.randomUUID(), crypto.randomUUID()]
  host.child.kill('SIGSTOP')
  edge.sendFrames({ ...about, id: late, input: createTextInput(`${BEN}@s.msgnet.net`, 'too late') })
  const thaw = performance.now() + 4500
  await until(() => performance.now() > thaw)
  host.child.kill('SIGCONT')
  const answer = await until(() =>
    edge.frames.find((frame) => frame.t === 'not_started' && frame.id === late),
  )
  expect(answer).toEqual({ t: 'not_started', id: late, instance })
  const beats = edge.frames.filter(({ t }) => t === 'beat').length
  await until(() => edge.frames.filter(({ t }) => t === 'beat').length > beats + 2)
  edge.sendFrames({ ...about, id: fresh, input: createTextInput(`${BEN}@s.msgnet.net`, 'in time') })
  expect(await edge.waitForOutcome(fresh)).toMatchObject({ kind: 'done' })
})

test('metrics and health are served on their own listener', async () => {
  const health = { status: 'live', linked: true, sessions: 1 }
  expect(await host.readHealth()).toMatchObject({ status: 200, body: health })
  const port = host.readLines().find(({ metricsPort }) => metricsPort)?.metricsPort
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  expect(text).toContain('host_sessions{state="connected"} 1')
  expect(text).toMatch(/host_actions_total\{action="message.sendText",outcome="done"\} 2/)
  expect(text).toMatch(/host_events_total\{type="messages"\} \d/)
  expect(text).toContain('host_outbox_depth')
  expect(text).toContain('nodejs_eventloop_lag')
})

test('a host whose log meets a full disk continues, and stops in order', async () => {
  host.child.kill('SIGTERM')
  await host.ended
  const states = edge.listStates(instance).length
  // Each write to this device fails as on a full disk.
  host = world.runHost({ LOG_LEVEL: 'trace' }, openSync('/dev/full', 'w'))
  await until(() => edge.listStates(instance).length > states && edge.listStates(instance).at(-1)?.loggedIn)
  const sent = await edge.performAction(
    instance,
    'message.sendText',
    createTextInput(`${BEN}@s.msgnet.net`, 'unlogged'),
  )
  expect(sent).toMatchObject({ kind: 'done' })
  host.child.kill('SIGTERM')
  expect(await host.ended).toBe(0)
  host = world.runHost()
})

test('a host with other seal keys reports an error and creates no new identity', async () => {
  host.child.kill('SIGTERM')
  await host.ended
  const stranger = world.runHost({ HOST_SEAL_KEYS: `other:${randomBytes(32).toString('base64')}` })
  await until(() => edge.listStates(instance).at(-1)?.lastDisconnectReason === 'bad_session')
  stranger.child.kill('SIGTERM')
  await stranger.ended
  // The stranger's link may look open for a moment longer than its process.
  const countLinks = () => edge.frames.filter(({ t }) => t === 'hello').length
  const before = countLinks()
  world.runHost()
  await until(() => countLinks() > before)
  const outcome = await edge.performAction(instance, 'session.connect', KIND)
  expect(outcome).toMatchObject({ kind: 'done', result: { loggedIn: true, jid: `${ANNA}@s.msgnet.net` } })
})
