// A host whose disk is full, read-only, damaged or locked: it says so, saves nothing that it cannot, and needs no new pairing.

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HostProcess, type ProcessWorld, startProcessWorld } from '../host/process.ts'
import { KIND, sentText } from '../host/world.ts'
import { until } from '../until.ts'

const ANNA = '5511600000001'
const BEN = '5511600000002'
/** Room for the store and little more. */
const SMALL = 'size=3m'

/** A disk of a size of its own takes a mount. */
const mayMount = process.getuid?.() === 0

let world: ProcessWorld
let instance: string
let host: HostProcess
let file: string

const mount = (...args: string[]) => execFileSync('mount', args)
const remount = (options: string) => mount('-o', `remount,${options}`, world.folder)
const text = (words: string) => sentText(`${BEN}@s.msgnet.net`, words)
const write = (words: string) => world.sim('POST', '/messages', { from: BEN, to: ANNA, text: words })
const inbox = async () =>
  (await world.sim<{ messages: { text: string }[] }>('GET', `/phones/${BEN}/inbox`)).messages.map(
    (message) => message.text,
  )
const companions = async () =>
  (await world.sim<{ companions: unknown[] }>('GET', `/phones/${ANNA}`)).companions

/** It has been told and nothing was told twice, it is logged in as the device that it always was, and it can send. */
async function isWellAgain(words: string): Promise<void> {
  await until(() => world.edge.states(instance).at(-1)?.loggedIn, { within: 90_000 })
  expect(await companions()).toMatchObject([{ device: 1 }])
  await write(words)
  await until(() => world.texts(instance).includes(words))
  expect(world.texts(instance).filter((told) => told === words)).toHaveLength(1)
  expect(await world.edge.act(instance, 'message.sendText', text(`re: ${words}`))).toMatchObject({
    kind: 'done',
  })
  expect(await inbox()).toContain(`re: ${words}`)
  expect((await host.health()).status).toBe(200)
}

async function stop(): Promise<void> {
  host.child.kill('SIGTERM')
  expect(await host.ended).toBe(0)
}

async function refusesToStart(sentence: RegExp, env: Record<string, string> = {}): Promise<void> {
  const failed = world.run(env)
  expect(await failed.ended).toBe(1)
  expect(failed.complaint()).toMatch(sentence)
  expect(failed.complaint().trim().split('\n')).toHaveLength(1)
}

beforeAll(async () => {
  world = await startProcessWorld()
  if (mayMount) mount('-t', 'tmpfs', '-o', SMALL, 'tmpfs', world.folder)
  file = join(world.folder, 'host.db')
  host = world.run()
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  instance = await world.linked(ANNA)
  await isWellAgain('at first')
})
afterAll(async () => {
  await world.close().catch(() => undefined)
  if (mayMount) execFileSync('umount', ['-l', world.folder])
})

test.runIf(mayMount)(
  'a full disk: what cannot be saved is not sent, the state says so, and with room again all of it comes',
  async () => {
    const ballast = openSync(join(world.folder, 'ballast'), 'w')
    expect(() => {
      for (;;) writeSync(ballast, randomBytes(4096))
    }).toThrow(/ENOSPC/)
    closeSync(ballast)
    await write('while it was full')
    await until(async () => (await host.health()).status === 503)
    expect((await host.health()).body).toMatchObject({ status: 'storage_failed', reason: 'the disk is full' })
    await until(() => world.edge.states(instance).at(-1)?.loggedIn === false)
    expect(world.edge.states(instance).at(-1)).toMatchObject({
      ...{ status: 'connecting', connected: false, lastDisconnectReason: 'bad_session' },
      jid: `${ANNA}@s.msgnet.net`,
    })
    const unsaved = await world.edge.act(instance, 'message.sendText', text('unsaved'))
    expect(unsaved).toMatchObject({
      kind: 'refused',
      fault: 'storage_unavailable',
      message: 'the disk is full',
    })
    expect(await world.edge.act(instance, 'session.connect', KIND)).toMatchObject({ kind: 'refused' })
    expect(await companions()).toMatchObject([{ device: 1 }])

    truncateSync(join(world.folder, 'ballast'))
    await until(() => world.texts(instance).includes('while it was full'), { within: 90_000 })
    await isWellAgain('after it was full')
    expect(await inbox()).not.toContain('unsaved')
  },
)

test('a lock that another process holds for a moment is waited out, and one that stays is a fault until it goes', async () => {
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  const waiting = world.edge.act(instance, 'message.sendText', text('patience'))
  const release = setTimeout(() => other.exec('COMMIT'), 1000)
  expect(await waiting).toMatchObject({ kind: 'done' })
  clearTimeout(release)

  other.exec('BEGIN IMMEDIATE')
  const refused = await world.edge.act(instance, 'message.sendText', text('locked out'), { budget: 20_000 })
  expect(refused).toMatchObject({ kind: 'refused', fault: 'storage_unavailable' })
  expect((await host.health()).body).toMatchObject({ reason: 'the store is locked by another process' })
  other.exec('COMMIT')
  other.close()
  await isWellAgain('after the lock')
  expect(await inbox()).not.toContain('locked out')
})

test.runIf(mayMount)(
  'a store that is locked, read-only, no database or sealed by nobody stops a start with one sentence',
  async () => {
    await stop()
    const other = new DatabaseSync(file)
    other.exec('BEGIN EXCLUSIVE')
    await refusesToStart(/locked by another process/)
    other.exec('COMMIT')
    other.close()

    remount('ro')
    await refusesToStart(/read-only/)
    remount('rw')

    const whole = readFileSync(file)
    writeFileSync(file, randomBytes(whole.length))
    await refusesToStart(/damaged/)
    writeFileSync(file, whole)

    await refusesToStart(/SEAL_KEYS is not set/, { SEAL_KEYS: '' })
    host = world.run()
    await isWellAgain('after a start that worked')
  },
)

test('with other seal keys nothing is connected and nothing new is paired; with the right ones it is there again', async () => {
  await stop()
  const stranger = world.run({ SEAL_KEYS: `other:${randomBytes(32).toString('base64')}` })
  await until(() => world.edge.states(instance).at(-1)?.status === 'disconnected')
  expect(world.edge.states(instance).at(-1)).toMatchObject({ lastDisconnectReason: 'bad_session' })
  const asked = await world.edge.act(instance, 'session.connect', KIND)
  expect(asked).toMatchObject({ kind: 'done', result: { loggedIn: false, pairing: null } })
  stranger.child.kill('SIGTERM')
  await stranger.ended
  host = world.run()
  await isWellAgain('after the stranger')
})

const scribbledAt = (part: number) => (whole: Buffer) => {
  const torn = Buffer.from(whole)
  randomBytes(Math.floor(whole.length / 5)).copy(torn, Math.floor(whole.length * part))
  return torn
}

test.each<[string, (whole: Buffer) => Buffer]>([
  ['scribbled over at a quarter', scribbledAt(0.25)],
  ['scribbled over in the middle', scribbledAt(0.5)],
  ['scribbled over towards the end', scribbledAt(0.75)],
  ['cut in half', (whole) => whole.subarray(0, whole.length / 2)],
])('a file %s: no QR for the linked device, and its copy brings everything back', async (how, tear) => {
  await stop()
  const settling = new DatabaseSync(file)
  settling.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  settling.close()
  const whole = readFileSync(file)
  const replace = (bytes: Buffer) => {
    for (const beside of ['-wal', '-shm']) rmSync(`${file}${beside}`, { force: true })
    writeFileSync(file, bytes)
  }
  replace(tear(whole))
  const links = world.edge.frames.filter(({ t }) => t === 'hello').length
  const hurt = world.run()
  const runs = () => hurt.child.exitCode === null
  await until(() => !runs() || world.edge.frames.filter(({ t }) => t === 'hello').length > links)
  if (runs()) {
    const answer = await world.edge.act(instance, 'session.connect', KIND)
    expect(answer.kind === 'done' ? answer.result.pairing : null).toBeNull()
    hurt.child.kill('SIGKILL')
  } else expect(hurt.complaint()).toMatch(/damaged/)
  await hurt.ended
  expect(await companions()).toMatchObject([{ device: 1 }])
  replace(whole)
  host = world.run()
  await isWellAgain(`after it was ${how}`)
})
