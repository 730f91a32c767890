// A host whose disk is full, read-only, damaged or locked: it says so, saves nothing that it cannot, and needs no new pairing.
// @module-tag slow

import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type HostProcess, type ProcessWorld, startProcessWorld } from '../host/process.ts'
import { createTextInput, KIND } from '../host/world.ts'
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

const runMount = (...args: string[]) => execFileSync('mount', args)
const remountFolder = (options: string) => runMount('-o', `remount,${options}`, world.folder)
const createText = (words: string) => createTextInput(`${BEN}@s.msgnet.net`, words)
const writeText = (words: string) => world.sim('POST', '/messages', { from: BEN, to: ANNA, text: words })
const readInbox = async () =>
  (await world.sim<{ messages: { text: string }[] }>('GET', `/phones/${BEN}/inbox`)).messages.map(
    (message) => message.text,
  )
const listCompanions = async () =>
  (await world.sim<{ companions: unknown[] }>('GET', `/phones/${ANNA}`)).companions

/** The message was reported once, the instance is logged in as the same device, and it can send. */
async function expectWellAgain(words: string): Promise<void> {
  await until(() => world.edge.listStates(instance).at(-1)?.loggedIn, { within: 90_000 })
  expect(await listCompanions()).toMatchObject([{ device: 1 }])
  await writeText(words)
  await until(() => world.listTexts(instance).includes(words))
  expect(world.listTexts(instance).filter((text) => text === words)).toHaveLength(1)
  expect(
    await world.edge.performAction(instance, 'message.sendText', createText(`re: ${words}`)),
  ).toMatchObject({
    kind: 'done',
  })
  expect(await readInbox()).toContain(`re: ${words}`)
  expect((await host.readHealth()).status).toBe(200)
}

async function stopHost(): Promise<void> {
  host.child.kill('SIGTERM')
  expect(await host.ended).toBe(0)
}

async function expectRefusedStart(sentence: RegExp, env: Record<string, string> = {}): Promise<void> {
  const failed = world.runHost(env)
  expect(await failed.ended).toBe(1)
  expect(failed.readErrorOutput()).toMatch(sentence)
  expect(failed.readErrorOutput().trim().split('\n')).toHaveLength(1)
}

beforeAll(async () => {
  world = await startProcessWorld()
  if (mayMount) runMount('-t', 'tmpfs', '-o', SMALL, 'tmpfs', world.folder)
  file = join(world.folder, 'host.db')
  host = world.runHost()
  await world.sim('POST', '/phones', { number: BEN, name: 'Ben' })
  instance = await world.linkPhone(ANNA)
  await expectWellAgain('at first')
})
afterAll(async () => {
  await world.close().catch(() => undefined)
  if (mayMount) execFileSync('umount', ['-l', world.folder])
})

test.runIf(mayMount)(
  'on a full disk unsaved messages are not acknowledged, the state says so, and with free space all of them arrive',
  async () => {
    const ballast = openSync(join(world.folder, 'ballast'), 'w')
    expect(() => {
      for (;;) writeSync(ballast, randomBytes(4096))
    }).toThrow(/ENOSPC/)
    closeSync(ballast)
    await writeText('while it was full')
    await until(async () => (await host.readHealth()).status === 503)
    expect((await host.readHealth()).body).toMatchObject({
      status: 'storage_failed',
      reason: 'the disk is full',
    })
    await until(() => world.edge.listStates(instance).at(-1)?.loggedIn === false)
    expect(world.edge.listStates(instance).at(-1)).toMatchObject({
      status: 'connecting',
      connected: false,
      lastDisconnectReason: 'bad_session',
      jid: `${ANNA}@s.msgnet.net`,
    })
    const unsaved = await world.edge.performAction(instance, 'message.sendText', createText('unsaved'))
    expect(unsaved).toMatchObject({
      kind: 'refused',
      fault: 'storage_unavailable',
      message: 'the disk is full',
    })
    expect(await world.edge.performAction(instance, 'session.connect', KIND)).toMatchObject({
      kind: 'refused',
    })
    expect(await listCompanions()).toMatchObject([{ device: 1 }])

    truncateSync(join(world.folder, 'ballast'))
    await until(() => world.listTexts(instance).includes('while it was full'), { within: 90_000 })
    await expectWellAgain('after it was full')
    expect(await readInbox()).not.toContain('unsaved')
  },
)

test('a short lock by another process is waited for, and a long one is a fault until it ends', async () => {
  const other = new DatabaseSync(file)
  other.exec('BEGIN IMMEDIATE')
  const waiting = world.edge.performAction(instance, 'message.sendText', createText('patience'))
  const release = setTimeout(() => other.exec('COMMIT'), 1000)
  expect(await waiting).toMatchObject({ kind: 'done' })
  clearTimeout(release)

  other.exec('BEGIN IMMEDIATE')
  const refused = await world.edge.performAction(instance, 'message.sendText', createText('locked out'), {
    budget: 20_000,
  })
  expect(refused).toMatchObject({ kind: 'refused', fault: 'storage_unavailable' })
  expect((await host.readHealth()).body).toMatchObject({ reason: 'the store is locked by another process' })
  other.exec('COMMIT')
  other.close()
  await expectWellAgain('after the lock')
  expect(await readInbox()).not.toContain('locked out')
})

test.runIf(mayMount)(
  'a start on a store that is locked, read-only, no database or sealed with unknown keys fails with one sentence',
  async () => {
    await stopHost()
    const other = new DatabaseSync(file)
    other.exec('BEGIN EXCLUSIVE')
    await expectRefusedStart(/locked by another process/)
    other.exec('COMMIT')
    other.close()

    remountFolder('ro')
    await expectRefusedStart(/read-only/)
    remountFolder('rw')

    const whole = readFileSync(file)
    writeFileSync(file, randomBytes(whole.length))
    await expectRefusedStart(/damaged/)
    writeFileSync(file, whole)

    await expectRefusedStart(/HOST_SEAL_KEYS is not set/, { HOST_SEAL_KEYS: '' })
    host = world.runHost()
    await expectWellAgain('after a start that worked')
  },
)

test('with other seal keys no session connects or pairs; with the right keys all connect again', async () => {
  await stopHost()
  const stranger = world.runHost({ HOST_SEAL_KEYS: `other:${randomBytes(32).toString('base64')}` })
  await until(() => world.edge.listStates(instance).at(-1)?.status === 'disconnected')
  expect(world.edge.listStates(instance).at(-1)).toMatchObject({ lastDisconnectReason: 'bad_session' })
  const connecting = await world.edge.performAction(instance, 'session.connect', KIND)
  expect(connecting).toMatchObject({ kind: 'done', result: { loggedIn: false, pairing: null } })
  stranger.child.kill('SIGTERM')
  await stranger.ended
  host = world.runHost()
  await expectWellAgain('after the stranger')
})

const corruptPart = (part: number) => (whole: Buffer) => {
  const torn = Buffer.from(whole)
  randomBytes(Math.floor(whole.length / 5)).copy(torn, Math.floor(whole.length * part))
  return torn
}

test.each<[string, (whole: Buffer) => Buffer]>([
  ['scribbled over at a quarter', corruptPart(0.25)],
  ['scribbled over in the middle', corruptPart(0.5)],
  ['scribbled over towards the end', corruptPart(0.75)],
  ['cut in half', (whole) => whole.subarray(0, whole.length / 2)],
])('with a file %s a linked device shows no QR, and the copy restores everything', async (how, tear) => {
  await stopHost()
  const settling = new DatabaseSync(file)
  settling.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  settling.close()
  const whole = readFileSync(file)
  const replaceFile = (bytes: Buffer) => {
    for (const suffix of ['-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
    writeFileSync(file, bytes)
  }
  replaceFile(tear(whole))
  const links = world.edge.frames.filter(({ t }) => t === 'hello').length
  const hurt = world.runHost()
  const isRunning = () => hurt.child.exitCode === null
  await until(() => !isRunning() || world.edge.frames.filter(({ t }) => t === 'hello').length > links)
  if (isRunning()) {
    const outcome = await world.edge.performAction(instance, 'session.connect', KIND)
    expect(outcome.kind === 'done' ? outcome.result.pairing : null).toBeNull()
    hurt.child.kill('SIGKILL')
  } else expect(hurt.readErrorOutput()).toMatch(/damaged/)
  await hurt.ended
  expect(await listCompanions()).toMatchObject([{ device: 1 }])
  replaceFile(whole)
  host = world.runHost()
  await expectWellAgain(`after it was ${how}`)
})
