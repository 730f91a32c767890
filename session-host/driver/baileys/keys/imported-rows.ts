// The rows of a device that another program has linked with the library: each is checked, and brought into the form in which ours are stored.

import { type ImportKind, type ImportRow, importKinds } from '@msgnet/shared/contract/import-lines.ts'
import { describeFirstIssue, issueMessages } from '@msgnet/shared/contract/validation-message.ts'
import { isPnUser, jidDecode, proto } from 'baileys'
import { SenderKeyRecord } from 'baileys/lib/Signal/Group/sender-key-record.js'
import * as z from 'zod'
import { CREDS } from '../../../store/credential-store.ts'
import type { CredentialImport, ImportedCredential, StoredKey } from '../../driver.ts'
import { toGatewayJid, toNetworkJid } from '../ids.ts'
import { libsignal } from '../patches/patch.ts'
import { readProfileName } from '../profile-name.ts'
import { encodeKey } from './auth-state.ts'
import { Bytes, completeCreds, ImportedCreds, KeyPair, PublicKey } from './imported-creds.ts'
import { findIdentity, moveToNewerLine, type SessionRecord } from './older-line.ts'

/** More levels than any value of the library has. */
const MAX_DEPTH = 32

/** The value cannot be one of the library. */
class UnreadableValue extends Error {}

const ID = /^[\w.:@/+=-]{1,300}$/

const AppStateKey = z.looseObject({ keyData: z.union([Bytes, z.string()]) })
const AppStateVersion = z.object({
  version: z.int().nonnegative(),
  hash: Bytes,
  indexValueMap: z.record(z.string(), z.object({ valueMac: Bytes })),
})
const Token = z.looseObject({ token: Bytes.optional() })

/** By far the most and the largest rows, so these have a way of their own. */
const SESSION = 'session' satisfies ImportKind

type ReadValue = (value: unknown) => unknown

const readShape =
  (shape: z.ZodType): ReadValue =>
  (value) =>
    shape.parse(value, issueMessages)

/** How each kind of key is stored; throws for a value that it cannot have. */
const kinds: Record<Exclude<ImportKind, typeof SESSION>, ReadValue> = {
  'pre-key': readShape(KeyPair),
  'sender-key': readSenderKey,
  'sender-key-memory': readShape(z.record(z.string(), z.boolean())),
  'app-state-sync-key': readAppStateKey,
  'app-state-sync-version': readShape(AppStateVersion),
  'lid-mapping': readShape(z.string().min(1)),
  'device-list': readShape(z.array(z.string())),
  tctoken: readShape(Token),
  'identity-key': readShape(PublicKey),
}

/** It holds no bytes but those in base64. */
function readSession(value: unknown): SessionRecord {
  try {
    const record = value as { _sessions: object | null }
    if (typeof record._sessions !== 'object' || !record._sessions)
      throw new UnreadableValue('has no sessions')
    const read = libsignal.SessionRecord.deserialize(record as unknown as Uint8Array)
    return read.serialize() as unknown as SessionRecord
  } catch {
    throw new UnreadableValue('is no record of a session')
  }
}

function readAppStateKey(value: unknown): unknown {
  const fields = AppStateKey.parse(value, issueMessages)
  try {
    return proto.Message.AppStateSyncKeyData.fromObject(fields)
  } catch {
    throw new UnreadableValue('is no key of the settings of an account')
  }
}

/** Older lines have written the states themselves, or their JSON, in place of their bytes. */
function readSenderKey(value: unknown): Uint8Array {
  const json = typeof value === 'string' ? Buffer.from(value) : encodeKey(value)
  const states = value instanceof Uint8Array ? value : json
  try {
    SenderKeyRecord.deserialize(states)
  } catch {
    throw new UnreadableValue('is no record of a sender key')
  }
  return states
}

/** `account`: the one that the caller names. */
export class ImportedRows implements CredentialImport {
  readonly #account: string
  readonly #keys = new Map<string, StoredKey>()
  /** Of devices, by the ids of their sessions. */
  readonly #identities = new Map<string, string>()
  #owner: { id: string; lid?: string | undefined; name?: string | undefined } | undefined

  constructor(account: string) {
    this.#account = account
  }

  addRow({ kind, id, value }: ImportRow): string | undefined {
    if (kind === CREDS) return this.#addCreds(id, value)
    if (!this.#owner) return 'The first row must be creds.'
    const known = importKinds.find((one) => one === kind)
    if (!known) return `kind must be creds or one of ${importKinds.join(', ')}.`
    if (!ID.test(id)) return 'id is none that the library gives to a key.'
    if (this.#keys.has(formatKeyName({ kind, id }))) return `A row of ${kind} with this id came before.`
    return explainFailure(kind, () => {
      if (known === SESSION) this.#addSession(id, readSession(value))
      else this.#addKey(kind, id, encodeKey(kinds[known](reviveBytes(value))))
    })
  }

  finish(): ImportedCredential {
    const me = this.#owner
    if (!me) throw new Error('an import is finished once creds have been added')
    const account = {
      jid: toGatewayJid(me.id),
      lid: toGatewayJid(me.lid),
      profileName: readProfileName(me),
    }
    return { account, keys: moveToNewerLine([...this.#keys.values()], me, this.#identities) }
  }

  #addCreds(id: string, value: unknown): string | undefined {
    if (this.#owner) return 'There is a row of creds already.'
    if (id !== '') return 'The id of creds must be empty.'
    return explainFailure(CREDS, () => {
      const creds = completeCreds(ImportedCreds.parse(reviveBytes(value), issueMessages))
      if (!isSameAccount(this.#account, creds.me?.id ?? ''))
        throw new UnreadableValue('belong to another account than the first line names')
      this.#addKey(CREDS, '', encodeKey(creds))
      this.#owner = creds.me
    })
  }

  #addSession(id: string, record: SessionRecord): void {
    const identity = findIdentity(record)
    if (identity !== undefined) this.#identities.set(id, identity)
    this.#addKey(SESSION, id, new Uint8Array(Buffer.from(JSON.stringify(record))))
  }

  #addKey(kind: string, id: string, value: Uint8Array<ArrayBuffer>): void {
    this.#keys.set(formatKeyName({ kind, id }), { kind, id, value })
  }
}

const formatKeyName = ({ kind, id }: { kind: string; id: string }): string => `${kind} ${id}`

/** The id of an account may have a device, and our suffix. */
function isSameAccount(named: string, own: string): boolean {
  const jid = toNetworkJid(named)
  return isPnUser(jid) === true && jidDecode(jid)?.user === jidDecode(own)?.user
}

/** Undefined if it succeeds. The value itself is never named. */
function explainFailure(kind: string, add: () => void): string | undefined {
  try {
    add()
    return undefined
  } catch (error) {
    if (error instanceof UnreadableValue) return `The value of ${kind} ${error.message}.`
    if (!(error instanceof z.ZodError)) throw error
    return describeFirstIssue(error, ['value'])
  }
}

/** Makes bytes of all that stand for some, as each line of the library has written them in its own way. Changes the value. */
function reviveBytes(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > MAX_DEPTH) throw new UnreadableValue(`is nested deeper than ${MAX_DEPTH} levels`)
  const bytes = findBytes(value)
  if (bytes) return bytes
  for (const [name, inner] of Object.entries(value)) {
    if (name === '__proto__') throw new UnreadableValue('has a field with the name "__proto__"')
    if (typeof inner === 'object') Object.assign(value, { [name]: reviveBytes(inner, depth + 1) })
  }
  return value
}

/** `{"type":"Buffer","data":…}` with base64 or a list of numbers, and `{"0":1,"1":2}`, as JSON shows a Uint8Array. */
function findBytes(value: object): Buffer | undefined {
  if ('type' in value && value.type === 'Buffer' && 'data' in value) {
    if (typeof value.data === 'string') return Buffer.from(value.data, 'base64')
    return isByteList(value.data) ? Buffer.from(value.data) : undefined
  }
  if (Array.isArray(value) || !('0' in value)) return undefined
  const numbers = Object.values(value)
  const isIndexed = Object.keys(value).every((name, at) => name === String(at))
  return isIndexed && isByteList(numbers) ? Buffer.from(numbers) : undefined
}

const isByteList = (list: unknown): list is number[] =>
  Array.isArray(list) && list.every((one) => Number.isInteger(one) && one >= 0 && one <= 255)
