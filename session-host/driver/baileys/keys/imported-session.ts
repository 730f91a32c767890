// The record of a session with a device, as another program has stored it. By far the most and the largest rows are such, so these are
// checked by hand: each value that the library reads, and nothing else is stored.

import { libsignal } from '../patches/patch.ts'
import { decodeBase64, isPublicKey, UnreadableValue } from './imported-bytes.ts'
import type { SessionRecord } from './older-line.ts'

const VERSION = 'v1'
const KEY_BYTES = 32
/** Of a chain that has sent or received nothing. */
const UNUSED_COUNTER = -1

type Fields = Record<string, unknown>
type Path = PropertyKey[]

/** Throws UnreadableValue with the field that is wrong. */
export function readSession(value: unknown): SessionRecord {
  const record = toFields(value, [])
  if (record.version !== VERSION && record.version !== undefined)
    throw new UnreadableValue(`must be ${VERSION}`, ['version'])
  const sessions = Object.entries(toFields(record._sessions, ['_sessions'])).map(([name, session], at) => {
    const path = ['_sessions', at]
    const read = readEntry(toFields(session, path), path)
    if (read.indexInfo.baseKey !== name) throw new UnreadableValue('must have the name of its baseKey', path)
    return [name, read] as const
  })
  const registrationId = readOptional(record.registrationId, ['registrationId'], readCount)
  const read = { _sessions: Object.fromEntries(sessions), version: record.version, registrationId }
  // The library has a version of its own without one.
  return record.version === VERSION ? { _sessions: read._sessions, version: VERSION } : migrate(read)
}

const migrate = (record: object): SessionRecord =>
  libsignal.SessionRecord.deserialize(record as Uint8Array).serialize() as unknown as SessionRecord

function readEntry(session: Fields, path: Path) {
  const ratchet = toFields(session.currentRatchet, [...path, 'currentRatchet'])
  const pair = toFields(ratchet.ephemeralKeyPair, [...path, 'currentRatchet', 'ephemeralKeyPair'])
  const index = toFields(session.indexInfo, [...path, 'indexInfo'])
  const inRatchet = (...names: string[]) => [...path, 'currentRatchet', ...names]
  const inIndex = (name: string) => [...path, 'indexInfo', name]
  return {
    registrationId: readOptional(session.registrationId, [...path, 'registrationId'], readCount),
    currentRatchet: {
      ephemeralKeyPair: {
        pubKey: readPublicKey(pair.pubKey, inRatchet('ephemeralKeyPair', 'pubKey')),
        privKey: readKey(pair.privKey, inRatchet('ephemeralKeyPair', 'privKey')),
      },
      lastRemoteEphemeralKey: readPublicKey(
        ratchet.lastRemoteEphemeralKey,
        inRatchet('lastRemoteEphemeralKey'),
      ),
      previousCounter: readCounter(ratchet.previousCounter, inRatchet('previousCounter')),
      rootKey: readKey(ratchet.rootKey, inRatchet('rootKey')),
    },
    indexInfo: {
      baseKey: readPublicKey(index.baseKey, inIndex('baseKey')),
      baseKeyType: readOneOrTwo(index.baseKeyType, inIndex('baseKeyType')),
      closed: readTime(index.closed, inIndex('closed')),
      used: readOptional(index.used, inIndex('used'), readTime),
      created: readOptional(index.created, inIndex('created'), readTime),
      remoteIdentityKey: readPublicKey(index.remoteIdentityKey, inIndex('remoteIdentityKey')),
    },
    _chains: readChains(session._chains, [...path, '_chains']),
    pendingPreKey: readOptional(session.pendingPreKey, [...path, 'pendingPreKey'], readPending),
  }
}

function readChains(value: unknown, path: Path): Fields {
  const chains = Object.entries(toFields(value, path)).map(([name, chain], at) => {
    const own = [...path, at]
    readPublicKey(name, own, 'must have the name of a public key, in base64')
    return [name, readChain(toFields(chain, own), own)] as const
  })
  return Object.fromEntries(chains)
}

function readChain(chain: Fields, path: Path): Fields {
  const chainKey = toFields(chain.chainKey, [...path, 'chainKey'])
  const messageKeys = Object.entries(toFields(chain.messageKeys, [...path, 'messageKeys']))
  return {
    chainKey: {
      counter: readCounter(chainKey.counter, [...path, 'chainKey', 'counter']),
      // Of a chain that has ended there is none.
      key: readOptional(chainKey.key, [...path, 'chainKey', 'key'], readKey),
    },
    chainType: readOneOrTwo(chain.chainType, [...path, 'chainType']),
    messageKeys: Object.fromEntries(
      messageKeys.map(([name, key], at) => {
        const own = [...path, 'messageKeys', at]
        if (!/^\d{1,10}$/.test(name)) throw new UnreadableValue('must have the name of a counter', own)
        return [name, readKey(key, own)]
      }),
    ),
  }
}

function readPending(value: unknown, path: Path): Fields {
  const pending = toFields(value, path)
  return {
    baseKey: readPublicKey(pending.baseKey, [...path, 'baseKey']),
    signedKeyId: readCount(pending.signedKeyId, [...path, 'signedKeyId']),
    preKeyId: readOptional(pending.preKeyId, [...path, 'preKeyId'], readCount),
  }
}

function toFields(value: unknown, path: Path): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UnreadableValue(`${value === undefined ? 'is missing: it ' : ''}must be a JSON object`, path)
  return value as Fields
}

/** JSON leaves it out, or has null for what is no number. */
const readOptional = <Value>(
  value: unknown,
  path: Path,
  read: (value: unknown, path: Path) => Value,
): Value | undefined => (value === undefined || value === null ? undefined : read(value, path))

function readKey(value: unknown, path: Path): string {
  if (decodeBase64(value)?.length === KEY_BYTES) return value as string
  throw new UnreadableValue(`must be ${KEY_BYTES} bytes in base64`, path)
}

function readPublicKey(value: unknown, path: Path, what = 'must be a public key in base64'): string {
  const bytes = decodeBase64(value)
  if (bytes && isPublicKey(bytes)) return value as string
  throw new UnreadableValue(what, path)
}

const readWhole =
  (least: number, most: number) =>
  (value: unknown, path: Path): number => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
    throw new UnreadableValue(`must be a whole number from ${least} to ${most}`, path)
  }
const readCount = readWhole(0, 0xffffffff)
const readCounter = readWhole(UNUSED_COUNTER, 0xffffffff)
/** -1 as long as the session is open. */
const readTime = readWhole(-1, Number.MAX_SAFE_INTEGER)
const readOneOrTwo = readWhole(1, 2)
