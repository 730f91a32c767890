// The host as a process: what it says and leaves on disk, and what a kill, a signal and a wrong setting do.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Simulator, startSimulator } from '../../local/simulator/simulator.ts'
import { makeToken } from '../../shared/tokens.ts'
import { until } from '../until.ts'
import { type EdgeStandIn, startEdgeStandIn } from './edge-stand-in.ts'
import { KIND, sentText } from './world.ts'

const MAIN = join(import.meta.dirname, '../../session-host/main.ts')
const ANNA = '5511500000001'
const BEN = '5511500000002'

let simulator: Simulator
let edge: EdgeStandIn
let dataDir: string
let env: Record<string, string>
const running: Running[] = []

interface Running {
  child: ChildProcess
  output(): string
  complaint(): string
  ended: Promise<number | null>
}

function run(change: Record<string, string> = {}): Running {
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH: process.env.PATH ?? '', ...env, ...change },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let complaint = ''
  child.stdout?.on('data', (data) => (output += data))
  child.stderr?.on('data', (data) => (complaint += data))
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const started = { child, output: () => output, complaint: () => complaint, ended }
  running.push(started)
  return started
}

async function sim<Answer>(method: string, path: string, body: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json' }
  const request = method === 'GET' ? { method } : { method, headers, body: JSON.stringify(body) }
  const response = await fetch(`${simulator.url}/sim${path}`, request)
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return (await response.json()) as Answer
}

const linesOf = ({ output }: Running) =>
  output()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

async function link(): Promise<string> {
  const instance = crypto.randomUUID()
  const outcome = await edge.act(instance, 'session.connect', KIND)
  if (outcome.kind !== 'done' || outcome.result.pairing?.method !== 'qr')
    throw new Error(JSON.stringify(outcome))
  await sim('POST', `/phones/${ANNA}/scan`, { qr: outcome.result.pairing.qr })
  await until(() => edge.states(instance).at(-1)?.loggedIn)
  return instance
}

const texts = (instance: string) =>
  edge.events(instance, 'messages').map(({ payload }) => (payload.message as { text: string }).text)

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'host-'))
  simulator = await startSimulator({ port: 0, dataDir })
  edge = await startEdgeStandIn()
  env = {
    EDGE_URL: edge.url,
    HOST_TOKEN: makeToken('host'),
    DATA_DIR: dataDir,
    NETWORK: 'simulator',
    NETWORK_URL: simulator.networkUrl,
    NETWORK_ROOT_KEY: simulator.rootKey,
    SEAL_KEYS: `test:${randomBytes(32).toString('base64')}`,
    METRICS_PORT: '0',
  }
  await sim('POST', '/phones', { number: ANNA })
  await sim('POST', '/phones', { number: BEN })
})

afterAll(async () => {
  for (const { child, ended } of running) {
    child.kill('SIGKILL')
    await ended
  }
  await edge.close()
  await simulator.close()
  rmSync(dataDir, { recursive: true, force: true })
})

test.each([
  [{ EDGE_URL: 'ftp://edge' }, /EDGE_URL/],
  [{ EDGE_URL: '' }, /EDGE_URL is not set/],
  [{ HOST_TOKEN: 'secret' }, /HOST_TOKEN/],
  [{ HOST_SLOTS: 'many' }, /HOST_SLOTS/],
  [{ SEAL_KEYS: 'short:YQ==' }, /SEAL_KEYS/],
  [{ NETWORK_ROOT_KEY: 'zz' }, /NETWORK_ROOT_KEY/],
  [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL/],
])('a wrong setting %j is named in one sentence, and the process ends', async (change, sentence) => {
  const host = run(change)
  expect(await host.ended).toBe(1)
  expect(host.complaint()).toMatch(sentence)
  expect(host.complaint().trim().split('\n')).toHaveLength(1)
})

test('a kill loses nothing: reports, sessions and running acts are there again', async () => {
  const host = run()
  const instance = await link()
  await edge.act(instance, 'message.sendText', sentText(`${BEN}@s.msgnet.net`, 'before the kill'))
  edge.acknowledging = false
  await sim('POST', '/messages', { from: BEN, to: ANNA, text: 'not acknowledged' })
  await until(() => texts(instance).includes('not acknowledged'))
  const first = edge.events(instance, 'messages').at(-1)

  await sim('POST', '/faults', { kind: 'silent', tag: 'message', number: ANNA })
  const id = crypto.randomUUID()
  const lost = sentText(`${BEN}@s.msgnet.net`, 'running')
  edge.send({ t: 'act', id, instance, epoch: 1, action: 'message.sendText', input: lost, budget: 20_000 })
  await until(() => edge.frames.some((frame) => frame.t === 'accepted' && frame.id === id))
  host.child.kill('SIGKILL')
  await host.ended
  await fetch(`${simulator.url}/sim/faults`, { method: 'DELETE' })
  await sim('POST', '/messages', { from: BEN, to: ANNA, text: 'while it was down' })

  edge.acknowledging = true
  const before = edge.reports.length
  run()
  expect(await edge.outcome(id)).toMatchObject({ kind: 'unknown' })
  await until(() => texts(instance).includes('while it was down'))
  const again = edge.reports.slice(before).find(({ n }) => n === first?.n)
  expect(again).toEqual(first)
  expect(texts(instance).filter((text) => text === 'while it was down')).toHaveLength(1)
})

test('SIGTERM closes the sockets without logging out, hands over the outbox and ends the process', async () => {
  const host = running.at(-1) as Running
  const asked = performance.now()
  host.child.kill('SIGTERM')
  expect(await host.ended).toBe(0)
  expect(performance.now() - asked).toBeLessThan(20_000)
  const { companions } = await sim<{ companions: { online: boolean }[] }>('GET', `/phones/${ANNA}`, undefined)
  expect(companions).toMatchObject([{ online: false }])
  const last = edge.reports.filter((report) => report.t === 'state').at(-1)
  expect(last?.state).toMatchObject({ status: 'connecting', connected: false })
})

test('the log is JSON lines only, and neither it nor the store tells a secret', async () => {
  run({ LOG_LEVEL: 'trace' })
  const host = running.at(-1) as Running
  const instance = edge.reports.at(-1)?.instance ?? ''
  await until(() => edge.states(instance).at(-1)?.loggedIn)
  const text = sentText(`${BEN}@s.msgnet.net`, 'a-text-that-nobody-logs')
  await edge.act(instance, 'message.sendText', text)
  await sim('POST', '/messages', { from: BEN, to: ANNA, text: 'an-answer-that-nobody-logs' })
  await until(() => texts(instance).includes('an-answer-that-nobody-logs'))
  expect(linesOf(host).length).toBeGreaterThan(3)
  expect(host.output()).not.toMatch(/nobody-logs|privKey|noiseKey|mgh_|"qr"/)
  expect(host.complaint()).toBe('')

  const disk = ['host.db', 'host.db-wal']
    .map((file) => readFileSync(join(dataDir, 'host', file)).toString('latin1'))
    .join()
  expect(disk).toContain('credentials')
  expect(disk).not.toMatch(/noiseKey|signedIdentityKey|advSecretKey|"_sessions"|privKey|mgh_/)
})

test('an act whose budget ran out while the process stood still is not begun', async () => {
  const host = running.at(-1) as Running
  const instance = edge.reports.at(-1)?.instance ?? ''
  const about = { t: 'act', instance, epoch: 1, action: 'message.sendText', budget: 2000 } as const
  const [late, fresh] = [crypto.randomUUID(), crypto.randomUUID()]
  host.child.kill('SIGSTOP')
  edge.send({ ...about, id: late, input: sentText(`${BEN}@s.msgnet.net`, 'too late') })
  const thaw = performance.now() + 4500
  await until(() => performance.now() > thaw)
  host.child.kill('SIGCONT')
  await until(() => edge.frames.some((frame) => frame.t === 'never' && frame.id === late))
  const beats = edge.frames.filter(({ t }) => t === 'beat').length
  await until(() => edge.frames.filter(({ t }) => t === 'beat').length > beats + 2)
  edge.send({ ...about, id: fresh, input: sentText(`${BEN}@s.msgnet.net`, 'in time') })
  expect(await edge.outcome(fresh)).toMatchObject({ kind: 'done' })
})

test('metrics and health are told on their own listener', async () => {
  const host = running.at(-1) as Running
  const port = linesOf(host).find(({ metricsPort }) => metricsPort)?.metricsPort
  const base = `http://127.0.0.1:${port}`
  expect(await (await fetch(`${base}/health`)).json()).toMatchObject({
    status: 'live',
    linked: true,
    sessions: 1,
  })
  const text = await (await fetch(`${base}/metrics`)).text()
  expect(text).toContain('host_sessions{state="connected"} 1')
  expect(text).toMatch(/host_actions_total\{action="message.sendText",outcome="done"\} 2/)
  expect(text).toMatch(/host_events_total\{type="messages"\} \d/)
  expect(text).toContain('host_outbox_depth')
  expect(text).toContain('nodejs_eventloop_lag')
})

test('with other seal keys the credential is an error, never a new identity', async () => {
  const before = running.at(-1) as Running
  before.child.kill('SIGTERM')
  await before.ended
  const instance = edge.reports.at(-1)?.instance ?? ''
  const stranger = run({ SEAL_KEYS: `other:${randomBytes(32).toString('base64')}` })
  await until(() => edge.states(instance).at(-1)?.lastDisconnectReason === 'bad_session')
  stranger.child.kill('SIGTERM')
  await stranger.ended
  run()
  const outcome = await edge.act(instance, 'session.connect', KIND)
  expect(outcome).toMatchObject({ kind: 'done', result: { loggedIn: true, jid: `${ANNA}@s.msgnet.net` } })
})
