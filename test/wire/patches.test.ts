// Patches of the libraries: each fault exists without its patch and not with it, and the versions are those in which it was found.
//
// Alone in its process: it shows each fault of the library before it is mended in its process.
// @vitest-environment-options { "process": "patches" }

import { AsyncLocalStorage } from 'node:async_hooks'
import crypto, { createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { setImmediate as turn } from 'node:timers/promises'
import { promisify } from 'node:util'
import { deflateSync, inflate } from 'node:zlib'
import { COMMIT_RETRIES } from '@msgnet/session-host/driver/baileys/keys/ratchets.ts'
import { applyPatches, patches } from '@msgnet/session-host/driver/baileys/patches/apply-patches.ts'
import { libsignal } from '@msgnet/session-host/driver/baileys/patches/patch.ts'
import { makePreKeysAhead } from '@msgnet/session-host/driver/baileys/patches/pre-keys-ahead.ts'
import { verifySignature } from '@msgnet/session-host/driver/baileys/patches/verify-signatures.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { quietLibsignal } from '@msgnet/simulator/phones/quiet-libsignal.ts'
import { addTransactionCapability, Curve, generateOrGetPreKeys, initAuthCreds, proto } from 'baileys'
import { SenderKeyMessage } from 'baileys/lib/Signal/Group/sender-key-message.js'
import { LIDMappingStore } from 'baileys/lib/Signal/lid-mapping.js'
import { MessageRetryManager } from 'baileys/lib/Utils/message-retry-manager.js'
import * as dictionary from 'baileys/lib/WABinary/constants.js'
import { decodeDecompressedBinaryNode } from 'baileys/lib/WABinary/decode.js'
import type { LRUCache } from 'lru-cache'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { encodeContactsMessage, encodeField, encodeNestedMessage } from '../host/hostile.ts'
import { createSignalDevice } from '../host/signal-device.ts'
import { until } from '../until.ts'
import { changeDistribution, createGroupDevice } from './group-device.ts'

const resolve = createRequire(import.meta.url)
/** As libsignal itself calls it. */
const curve = resolve('libsignal/src/curve.js') as typeof import('libsignal/src/curve.js')

function readInstalledVersion(library: string): string {
  if (library === 'node') return process.versions.node
  const [, folder = ''] = /^(.*\/node_modules\/[^/]+)\//.exec(resolve.resolve(library)) ?? []
  return JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).version
}

/** Returns whether a signature that is one bit off passes. */
function acceptsForged(): boolean {
  const { public: publicKey, private: privateKey } = Curve.generateKeyPair()
  const message = Buffer.from('certificate')
  const signature = Buffer.from(Curve.sign(privateKey, message))
  signature[5] = (signature[5] ?? 0) ^ 1
  return Curve.verify(publicKey, message, signature)
}

/** Returns the text of a message in a newer session, after one of the older session has arrived late. */
async function readAfterLateMessage(): Promise<string> {
  const [own, peer] = [createSignalDevice(), createSignalDevice()]
  await own.begin(peer.bundle)
  await peer.read(await own.write('one'))
  await own.read(await peer.write('two'))
  await peer.read(await own.write('three'))
  const late = await peer.write('four, in the older session')
  await own.begin(peer.bundle)
  await own.read(late)
  return peer.read(await own.write('five, in the newer one')).catch(() => 'unreadable')
}

/** Returns by how many characters a session has grown in forty replies after the first twenty; all of them are read. */
async function measureGrowth(): Promise<number> {
  const [own, peer] = [createSignalDevice(), createSignalDevice()]
  await own.begin(peer.bundle)
  const exchange = async (n: number) => {
    expect(await peer.read(await own.write(`question ${n}`))).toBe(`question ${n}`)
    expect(await own.read(await peer.write(`answer ${n}`))).toBe(`answer ${n}`)
  }
  for (let n = 0; n < 20; n++) await exchange(n)
  const before = own.stored()
  for (let n = 20; n < 60; n++) await exchange(n)
  return own.stored() - before
}

/** Returns what is read of messages that arrive after eight replies, out of order, and a second time. */
async function readLate(): Promise<string[]> {
  const [own, peer] = [createSignalDevice(), createSignalDevice()]
  await own.begin(peer.bundle)
  await peer.read(await own.write('question'))
  const [first, second, third] = [await peer.write('1'), await peer.write('2'), await peer.write('3')]
  const read = [await own.read(third)]
  for (let n = 0; n < 8; n++) {
    await peer.read(await own.write('question'))
    await own.read(await peer.write('answer'))
  }
  for (const late of [second, first, second]) read.push(await own.read(late).catch(() => 'not again'))
  return read
}

/** Returns the names of the devices whose work ran in the context of another one. */
async function listMisplaced(): Promise<string[]> {
  const context = new AsyncLocalStorage<string>()
  const friend = createSignalDevice()
  const misplaced = new Set<string>()
  const devices = ['anna', 'ben', 'cleo'].map((name) => ({
    name,
    device: createSignalDevice(async () => {
      await turn()
      if (context.getStore() !== name) misplaced.add(name)
    }),
  }))
  const runOnAll = (work: (device: ReturnType<typeof createSignalDevice>) => Promise<unknown>) =>
    Promise.all(devices.map(({ name, device }) => context.run(name, () => work(device))))
  await runOnAll((device) => device.begin(friend.bundle))
  await runOnAll((device) => device.write('hello'))
  return [...misplaced]
}

/** Returns which of these messages a socket caches. */
function listRemembered(): string[] {
  const manager = new MessageRetryManager(createSilentLog(), 5)
  manager.addRecentMessage('friend', 'text', { conversation: 'hello' })
  manager.addRecentMessage('friend', 'change', { protocolMessage: {} })
  return ['text', 'change'].filter((id) => manager.getRecentMessage('friend', id))
}

/** Returns for how many entries a socket reserves memory, and how many of two thousand keys it caches. */
function measureRetryRoom(): { empty: number; filled: number } {
  const manager = new MessageRetryManager(createSilentLog(), 5) as unknown as Record<
    string,
    LRUCache<string, object>
  >
  const { recentMessagesMap, baseKeys } = manager
  const empty = (recentMessagesMap?.max ?? 0) + (baseKeys?.max ?? 0)
  for (let n = 0; n < 2000; n++) baseKeys?.set(`friend:${n}`, {})
  const filled = baseKeys?.size ?? 0
  baseKeys?.clear()
  return { empty, filled }
}

/** Returns how many timers are set while a pair is looked up ten times. */
async function countTimers(): Promise<number> {
  const nothing = { get: async () => ({}), set: async () => undefined }
  const keys = addTransactionCapability(nothing, createSilentLog(), COMMIT_RETRIES)
  const mappings = new LIDMappingStore(keys, createSilentLog())
  await mappings.storeLIDPNMappings([{ pn: '5511@s.whatsapp.net', lid: '99@lid' }])
  const { setTimeout } = globalThis
  let set = 0
  const countTimer = (...input: Parameters<typeof setTimeout>) => {
    set++
    return setTimeout(...input)
  }
  Object.assign(globalThis, { setTimeout: Object.assign(countTimer, setTimeout) })
  try {
    for (let n = 0; n < 10; n++) expect(await mappings.getLIDForPN('5511@s.whatsapp.net')).toBe('99@lid')
    return set
  } finally {
    Object.assign(globalThis, { setTimeout })
    mappings.close()
  }
}

/** Returns how many contacts are read of a list of a hundred thousand, and how deep a message in a thousand others is read. */
function readParts(): { contacts: number; depth: number } {
  const message = proto.Message.decode(encodeContactsMessage(100_000))
  let depth = 0
  for (
    let inner: proto.IMessage | null | undefined = proto.Message.decode(encodeNestedMessage(1000));
    inner?.ephemeralMessage;
    inner = inner.ephemeralMessage.message
  )
    depth++
  return { contacts: message.contactsArrayMessage?.contacts?.length ?? 0, depth }
}

/** Returns how many bytes are left of a message in a field that the library does not know, decoded and written again. */
const countNewerBytes = (): number =>
  proto.Message.encode(proto.Message.decode(encodeField(300, 'new'))).finish().length

/** Returns how many of these foreign bytes are decoded: a ciphertext and a vote, each of a million parts. */
function decodeParts(): number {
  const parts = Buffer.alloc(2_000_000, Buffer.from([0x0a, 0]))
  const decoders = [proto.Message.PollVoteMessage, proto.SenderKeyMessage, proto.VerifiedNameCertificate]
  return decoders.filter((type) => {
    try {
      return type.decode(parts)
    } catch {
      return false
    }
  }).length
}

/** Returns what 100 MB are inflated to, compressed as in a frame, and how many nodes of 600,000 are decoded. */
async function openFrames(): Promise<{ inflated: number; nodes: number }> {
  const inflated = await promisify(inflate)(deflateSync(Buffer.alloc(100_000_000))).then(
    ({ length }) => length,
    () => 0,
  )
  const node = Buffer.from([248, 1, 8])
  const list = Buffer.concat([Buffer.from([248, 2, 8, 249, 0xea, 0x60]), Buffer.alloc(60_000 * 3, node)])
  const frame = Buffer.concat([Buffer.from([248, 2, 8, 248, 10]), ...Array<Buffer>(10).fill(list)])
  try {
    const { content } = decodeDecompressedBinaryNode(frame, dictionary)
    return { inflated, nodes: Array.isArray(content) ? content.length * 60_000 : 0 }
  } catch {
    return { inflated, nodes: 0 }
  }
}

/** Returns how many characters an author and a reader store of the key of a group after 440 messages, how many MACs the last takes, and what is read of a late one. */
async function measureGroupKeys(): Promise<{ own: number; read: number; macs: number; late: string }> {
  const [own, reader] = [createGroupDevice(), createGroupDevice()]
  await reader.take(await own.distribute())
  expect(await reader.read(await own.write('first'))).toBe('first')
  for (let n = 0; n < 430; n++) await own.write('unread')
  const late = await own.write('late')
  for (let n = 0; n < 7; n++) await own.write('unread')
  const last = await own.write('last')
  const macs = countCalls(crypto, ['createHmac'])
  expect(await reader.read(last)).toBe('last')
  macs.stop()
  const sizes = { own: own.stored(), read: reader.stored(), macs: macs.read() }
  return { ...sizes, late: await reader.read(late).catch(() => 'unreadable') }
}

/** Returns how many characters are stored of a key of a group whose parts have this many bytes each. */
async function storeLongKey(bytes: number): Promise<number> {
  const [own, reader] = [createGroupDevice(), createGroupDevice()]
  const long = { chainKey: Buffer.alloc(bytes), signingKey: Buffer.alloc(bytes) }
  await reader.take(changeDistribution(await own.distribute(), long)).catch(() => undefined)
  return reader.stored()
}

const computeSeal = () => createHmac('sha256', new Uint8Array(32).fill(7)).update('message').digest('hex')

type AnyFunction = (...args: unknown[]) => unknown

/** Counts the calls of functions of an object from now on. */
function countCalls(object: object, names: string[]) {
  const original = Object.fromEntries(names.map((name) => [name, Reflect.get(object, name) as AnyFunction]))
  let calls = 0
  const replace = (functions: Record<string, AnyFunction>) => {
    Object.assign(object, functions)
    syncBuiltinESMExports()
  }
  const count =
    (call: AnyFunction) =>
    (...args: unknown[]) => {
      calls += 1
      return call(...args)
    }
  replace(Object.fromEntries(Object.entries(original).map(([name, call]) => [name, count(call)])))
  return { read: () => calls, stop: () => replace(original) }
}

const countKeys = () => countCalls(crypto, ['generateKeyPairSync'])

const signingKeys = Curve.generateKeyPair()
const verifyInLibrary = SenderKeyMessage.prototype.verifySignature
const writeToGroup = () => new SenderKeyMessage(1, 7, Buffer.alloc(16), signingKeys.private).serialize()

const addType = (publicKey: Uint8Array) => Buffer.concat([Buffer.from([5]), publicKey])

/** Throws if the signature is forged. */
function readInGroup(message: Uint8Array): number {
  const read = new SenderKeyMessage(null, null, null, null, message)
  read.verifySignature(addType(signingKeys.public))
  return read.getIteration()
}

/** Returns how many signatures are computed in JavaScript for a message of a group, by its author and by a reader. */
function countSlowSignatures(): number {
  const slow = countCalls(createRequire(resolve.resolve('libsignal'))('curve25519-js'), ['sign', 'verify'])
  expect(readInGroup(writeToGroup())).toBe(7)
  slow.stop()
  return slow.read()
}

/** Returns how many keys are made in the turn in which a linked device takes those that it uploads. */
async function countKeysOfTurn(): Promise<number> {
  const creds = initAuthCreds()
  await makePreKeysAhead()
  const made = countKeys()
  const { newPreKeys } = generateOrGetPreKeys(creds, 812)
  made.stop()
  const keys = Object.values(newPreKeys).map(({ private: key }) => Buffer.from(key).toString('hex'))
  expect(new Set(keys).size).toBe(812)
  return made.read()
}

beforeAll(quietLibsignal)

test.each(patches)('$name is for the version of $library that is installed', ({ library }) => {
  const [name = '', version = ''] = library.split('@')
  expect(readInstalledVersion(name)).toMatch(name === 'node' ? /^24\.(1[7-9]|[2-9]\d)\./ : version)
})

test('the libsignal that is patched is the one that baileys uses', () => {
  const ofBaileys = createRequire(resolve.resolve('baileys'))
  expect(libsignal.SessionCipher).toBe(ofBaileys('libsignal').SessionCipher)
})

test('every patch says why it exists, what to report upstream, and when it can go', () => {
  for (const { fault, why, upstream, until } of patches)
    for (const sentence of [fault, why, upstream, until]) expect(sentence).toMatch(/^[A-Za-z].{30,}\.$/)
})

test('the page of patches lists each of them', () => {
  const page = readFileSync(new URL('../../docs/code/patches.md', import.meta.url), 'utf8')
  const table = patches.map(
    ({ name, library, fault, until }) => `| \`${name}\` | ${library} | ${fault} | ${until} |`,
  )
  expect(page.split('\n').filter((line) => line.startsWith('| `'))).toEqual(table)
})

test('without the patches a forged signature passes, a late message damages a session, work runs in another context, sessions grow, sockets cache messages and reserve memory, look-ups set timers, foreign bytes are read without a limit, newer fields are lost, signatures are computed in JavaScript, keys of groups grow, and all keys of a linking are made in one turn', async () => {
  expect(acceptsForged()).toBe(true)
  expect(await readAfterLateMessage()).toBe('unreadable')
  expect(await listMisplaced()).not.toEqual([])
  expect(await measureGrowth()).toBeGreaterThan(40 * 80)
  expect(listRemembered()).toEqual(['text', 'change'])
  expect(measureRetryRoom()).toEqual({ empty: 512 + 1024, filled: 1024 })
  expect(await countTimers()).toBeGreaterThanOrEqual(10)
  expect(readParts()).toEqual({ contacts: 100_000, depth: 1000 })
  expect(decodeParts()).toBe(3)
  expect(await openFrames()).toEqual({ inflated: 100_000_000, nodes: 600_000 })
  expect(countNewerBytes()).toBe(0)
  expect(countSlowSignatures()).toBe(2)
  const groupKeys = await measureGroupKeys()
  expect(Math.min(groupKeys.own, groupKeys.read)).toBeGreaterThan(50_000)
  expect(groupKeys.macs).toBeGreaterThan(4000)
  expect(groupKeys.late).toBe('unreadable')
  expect(await storeLongKey(100_000)).toBeGreaterThan(200_000)
  expect(await countKeysOfTurn()).toBe(812)
})

test('with the patches none of these happens, and keys that are bytes give the same MACs', async () => {
  const before = computeSeal()
  const inGroup = writeToGroup()
  applyPatches()
  expect(acceptsForged()).toBe(false)
  expect(await readAfterLateMessage()).toBe('five, in the newer one')
  expect(await listMisplaced()).toEqual([])
  expect(await measureGrowth()).toBeLessThan(200)
  expect(await readLate()).toEqual(['3', '2', '1', 'not again'])
  expect(computeSeal()).toBe(before)
  expect(listRemembered()).toEqual(['change'])
  expect(measureRetryRoom()).toEqual({ empty: 0, filled: 1024 })
  expect(await countTimers()).toBe(0)
  expect(readParts()).toEqual({ contacts: 0, depth: 0 })
  expect(decodeParts()).toBe(0)
  expect(await openFrames()).toEqual({ inflated: 0, nodes: 0 })
  expect(countNewerBytes()).toBe(encodeField(300, 'new').length)
  expect(countSlowSignatures()).toBe(0)
  const groupKeys = await measureGroupKeys()
  expect(groupKeys.own).toBeLessThan(1000)
  expect(groupKeys.read).toBeLessThan(12_000)
  expect(groupKeys.macs).toBeLessThan(2000)
  expect(groupKeys.late).toBe('late')
  expect(await storeLongKey(100_000)).toBe(0)
  expect(readInGroup(inGroup)).toBe(7)
  expect(await countKeysOfTurn()).toBe(0)
})

test('signatures and secrets are those of the library, also of private keys whose bits nobody has set as the curve needs them', () => {
  const { generateKeyPair, sharedKey } = createRequire(resolve.resolve('libsignal'))('curve25519-js')
  applyPatches()
  for (let n = 0; n < 20; n++) {
    const key = randomBytes(32)
    const own = addType(generateKeyPair(key).public)
    const message = new SenderKeyMessage(1, n, Buffer.alloc(16), key)
    expect(() => verifyInLibrary.call(message, own)).not.toThrow()
    expect(() => message.verifySignature(own)).not.toThrow()
    const secret = curve.calculateAgreement(addType(signingKeys.public), key)
    expect(secret).toEqual(Buffer.from(sharedKey(key, signingKeys.public)))
  }
})

test('a message of a group that somebody changed, and a key that makes every secret the same, are refused', () => {
  applyPatches()
  const changed = Buffer.from(writeToGroup())
  changed[5] = changed.readUInt8(5) ^ 1
  expect(() => readInGroup(changed)).toThrow('Invalid signature!')
  for (const first of [0, 1]) {
    const small = addType(Buffer.alloc(32).fill(first, 0, 1))
    expect(() => curve.calculateAgreement(small, signingKeys.private)).toThrow('Invalid public key')
    for (let n = 0; n < 20; n++)
      expect(verifySignature(small, Buffer.from([n]), Buffer.alloc(64))).toBe(false)
  }
  expect(() => curve.calculateAgreement(Buffer.alloc(7), signingKeys.private)).toThrow(Error)
})

test('once a linking has taken its keys, those of the next one are made', async () => {
  applyPatches()
  const creds = initAuthCreds()
  await makePreKeysAhead()
  const made = countKeys()
  onTestFinished(made.stop)
  generateOrGetPreKeys(creds, 812)
  await until(() => made.read() >= 812)
})
