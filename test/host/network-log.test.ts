// The protocol log: what it stores of a pairing, a send and a failure, what it does not, and that the driver makes the same of it again.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { isProtocolWord } from '@msgnet/session-host/driver/baileys/connection/protocol-log.ts'
import { NetworkLog } from '@msgnet/session-host/network-log/network-log-writer.ts'
import { type ReplayedEvent, replayToDriver } from '@msgnet/session-host/network-replay/replay-to-driver.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { groupBySocket, type LogLine, NETWORK_LOG_FOLDER } from '@msgnet/shared/network-log-lines.ts'
import { listSegments, readSegment } from '@msgnet/shared/node/network-log-files.ts'
import { createSealer, type Sealer } from '@msgnet/shared/seal.ts'
import { startReplay } from '@msgnet/simulator/replay/replay-network.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { type DriverWorld, type Line, startDriver } from './driver.ts'

const ANNA = '5511350000001'
const BEN = '5511350000002'
const USERNAME = 'gherkin.7'
const USERNAME_KEY = '8642'
const SECRET_TEXT = 'what nobody else should read'

const dataDir = mkdtempSync(join(tmpdir(), 'network-log-'))
const folder = join(dataDir, ...NETWORK_LOG_FOLDER)
const sealKeys = `test:${randomBytes(32).toString('base64')}`
let sealer: Sealer
let world: DriverWorld
let log: NetworkLog
const events: ReplayedEvent[] = []
const lids: string[] = []
beforeAll(async () => {
  sealer = await createSealer(sealKeys, 'host/network-log')
  log = new NetworkLog({ folder, instances: 'on', sealer, isWord: isProtocolWord, log: createSilentLog() })
  world = await startDriver(undefined, { networkLog: log })
  await recordSession()
}, 30_000)
afterAll(async () => {
  await world.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const recordEvent =
  (name: string) =>
  (...data: unknown[]) =>
    void events.push({ event: name, data })

/** A pairing, a message that is sent, one that is refused, and a login elsewhere that ends the connection. */
async function recordSession(): Promise<void> {
  for (const [number, name] of [
    [ANNA, 'Anna Banana'],
    [BEN, 'Ben Cucumber'],
  ]) {
    const username = name === 'Ben Cucumber' ? USERNAME : undefined
    const { lid } = await world.sim<{ lid: string }>('POST', '/phones', { number, name, username })
    lids.push(lid.replace(/\D/g, ''))
  }
  const instance = crypto.randomUUID()
  const handlers = {
    onOpen: recordEvent('open'),
    onAck: recordEvent('ack'),
    onClosed: recordEvent('closed'),
    onQr: recordEvent('qr'),
  }
  const pairing = await world.connectInstance(instance, handlers)
  await world.sim('POST', `/phones/${ANNA}/scan`, { qr: await until(() => pairing.qr) })
  await until(() => pairing.closed)
  const line = await world.connectInstance(instance, handlers)
  await until(() => line.account)
  await sendContent(line, 'FIRST', 'done')
  await world.sim('POST', '/faults', { kind: 'ack_error', code: 463, number: ANNA, count: 1 })
  await sendContent(line, 'SECOND', 'refused')
  await world.sim('POST', '/messages', { from: BEN, to: ANNA, text: SECRET_TEXT })
  await line.connection.checkUsernames([{ username: USERNAME, key: USERNAME_KEY }], AbortSignal.timeout(5000))
  await line.connection.checkNumbers([`${BEN}@s.msgnet.net`], AbortSignal.timeout(5000))
  await until(() => line.connection.confirmRead(AbortSignal.timeout(5000)))
  await world.sim('POST', '/faults', { kind: 'close', code: 440, number: ANNA })
  await until(() => line.closed)
  await log.flush()
}

async function sendContent({ connection }: Line, id: string, kind: string): Promise<void> {
  const deadline = AbortSignal.timeout(20_000)
  const encoded =
    connection.encode({ kind: 'text', text: SECRET_TEXT, mentions: [] })?.encoded ?? new Uint8Array()
  expect(await connection.send(id, `${BEN}@s.msgnet.net`, encoded, deadline)).toMatchObject({ kind })
}

async function readLines(): Promise<LogLine[]> {
  const segments = await listSegments(folder)
  return (await Promise.all(segments.map((file) => readSegment(file, async () => sealer)))).flat()
}

test('the log files hold no clear text, and their lines hold no number, name, text, key or token', async () => {
  const [file = ''] = await listSegments(folder)
  const sealed = (await readFile(file)).toString('latin1')
  expect([sealed.includes('pair-success'), statSync(file).mode & 0o777]).toEqual([false, 0o600])

  const text = (await readLines()).map((line) => JSON.stringify(line)).join('\n')
  expect(text).toMatch(/pair-success/)
  for (const secret of [
    ANNA,
    BEN,
    ...lids,
    'Anna',
    'Banana',
    'Ben C',
    'Cucumber',
    USERNAME,
    SECRET_TEXT,
    `"${USERNAME_KEY}"`,
  ])
    expect([secret, text.includes(secret)]).toEqual([secret, false])
  // A key, a token, a hash in hex or base64.
  expect(
    text.match(/[A-Za-z0-9+/=_-]{30,}/g)?.filter((run) => /\d/.test(run) && !isId.test(run)) ?? [],
  ).toEqual([])
})
/** Of an instance, and of a message as phones make them. */
const isId = /^[0-9a-f]{8}-|^[0-9A-F]{32}$/

test('the log holds each node that the driver wrote, with its attributes and the length of its contents', async () => {
  const sent = (await readLines()).flatMap((line) => (line.what === 'out' ? [line.node] : []))
  const messages = sent.filter(({ tag }) => tag === 'message')
  expect(messages.map(({ attrs }) => attrs.id)).toEqual(['FIRST', 'SECOND'])
  expect(JSON.stringify(messages[0])).toMatch(/"tag":"enc","attrs":\{"v":"2","type":"pkmsg".*"bytes":\d+/)
  expect(sent.some(({ attrs }) => attrs.xmlns === 'encrypt')).toBe(true)
})

test('a received node is in the log as it came', async () => {
  const received = (await readLines()).flatMap((line) => (line.what === 'in' ? [line.node] : []))
  const [message] = received.filter(({ tag, attrs }) => tag === 'message' && attrs.username !== undefined)
  expect(message?.attrs.username).toMatch(/^name-[0-9a-f]{8}$/)
  expect(message?.attrs).not.toHaveProperty('recipient_username')
})

test('lines are read from a file to which npm wrote its command first', async () => {
  const lines = await readLines()
  const file = join(folder, 'redirected.jsonl')
  const heading =
    '\n> msgnet-gateway@0.1.0 network-log\n> sh cli/node cli/network-log-command.ts show --json\n\n'
  await writeFile(file, heading + lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  expect(await readSegment(file, async () => sealer)).toEqual(lines)
})

test('a log replayed from plain lines makes the driver report the same events', async () => {
  const fixture = join(folder, 'fixture.jsonl')
  await writeFile(fixture, (await readLines()).map((line) => `${JSON.stringify(line)}\n`).join(''))
  const sockets = groupBySocket(await readSegment(fixture, async () => sealer))
  const replay = await startReplay(sockets)
  const again: ReplayedEvent[] = []
  await replayToDriver({
    url: replay.networkUrl,
    rootKey: Buffer.from(replay.rootKey, 'hex'),
    connections: sockets.length,
    linked: false,
    onEvent(event) {
      if (event.event === 'qr') replay.scanQr(String(event.data[0]))
      again.push(event)
    },
  })
  await replay.close()
  const outlineEvents = (all: ReplayedEvent[]) =>
    all.flatMap(({ event, data: [first] }) => {
      if (event === 'ack') return [[event, first]]
      if (event === 'closed') return [[event, (first as { kind: string }).kind]]
      return event === 'qr' || event === 'open' ? [[event]] : []
    })
  expect(outlineEvents(events)).toEqual([
    ['qr'],
    ['closed', 'restart'],
    ['open'],
    ['ack', { messageid: 'FIRST' }],
    ['ack', { messageid: 'SECOND', code: 463 }],
    ['closed', 'replaced'],
  ])
  expect(outlineEvents(again)).toEqual(outlineEvents(events))
})

test('a log that begins with a login is replayed to a device that is linked already', async () => {
  const sockets = groupBySocket(await readLines()).slice(1)
  const replay = await startReplay(sockets)
  const again: string[] = []
  await replayToDriver({
    url: replay.networkUrl,
    rootKey: Buffer.from(replay.rootKey, 'hex'),
    connections: 1,
    linked: true,
    onEvent: ({ event }) => again.push(event),
  })
  await replay.close()
  expect([again[0], again.at(-1)]).toEqual(['open', 'closed'])
})

test('the command shows the sealed log, and replays it', async () => {
  const run = promisify(execFile)
  const runCommand = (...args: string[]) =>
    run('sh', ['cli/node', 'cli/network-log-command.ts', ...args], {
      cwd: join(import.meta.dirname, '..', '..'),
      env: { ...process.env, DATA_DIR: dataDir, HOST_SEAL_KEYS: sealKeys },
    })
  const shown = (await runCommand('show')).stdout
  expect(shown).toMatch(/ <- <ack class="message" id="SECOND" from="1000\d{10}@lid" .*error="463"\/>/)
  expect(shown).toMatch(/ -- socket closed: replaced \(\d+\)/)
  const replayed = (await runCommand('replay')).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(replayed).toContainEqual({ event: 'ack', data: [{ messageid: 'SECOND', code: 463 }] })
  expect(replayed.at(-1)).toMatchObject({ event: 'closed', data: [{ kind: 'replaced' }] })
})
