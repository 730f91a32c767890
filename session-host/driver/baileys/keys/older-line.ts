// Keys that the library's older line has written, under the names that the newer line looks for.
//
// The older line names a person's sessions by the digits of an id, whether that is a number or a LID, and knows no pairs of them. The newer
// marks LIDs, and uses the session by LID as soon as it knows the pair. Both ids of a device have the same identity key, which tells.

import { isLidUser, isPnUser, jidDecode } from 'baileys'
import { runInTurns } from '../../../process/loop-share.ts'
import type { StoredKey } from '../../driver.ts'
import { decodeKey, encodeKey } from './auth-state.ts'

/** Kinds that only the newer line has. */
const NEWER_KINDS = ['lid-mapping', 'device-list', 'tctoken', 'identity-key']
/** What the newer line adds to the digits of a LID. */
const LID_MARK = '_1'

interface Me {
  id: string
  lid?: string | undefined
}

/** The part of a stored session that is read here. */
interface Session {
  indexInfo: { closed: number; used?: number | undefined; remoteIdentityKey: string }
}
export interface SessionRecord {
  _sessions: Record<string, Session>
  version: string
}
interface DeviceSession {
  user: string
  device: string
  key: StoredKey
  /** Of the device, in its session that was used last. */
  identity: string | undefined
}

/** `identities`: of the devices, by the ids of their sessions. */
export async function moveToNewerLine(
  keys: StoredKey[],
  me: Me,
  identities: ReadonlyMap<string, string>,
): Promise<StoredKey[]> {
  if (keys.some(isOfNewerLine)) return keys
  const sessions = keys
    .filter(({ kind }) => kind === 'session')
    .map((key) => toDeviceSession(key, identities.get(key.id)))
  const people = await People.read(keys, me, sessions)
  // Which devices have our key of a group is not taken over: the older line names it by number, the newer one by LID in most groups. The next
  // message to a group brings its key to all of them.
  const others = keys.filter(({ kind }) => !['session', 'sender-key', 'sender-key-memory'].includes(kind))
  const senderKeys = keys.filter(({ kind }) => kind === 'sender-key')
  return [
    ...others,
    ...senderKeys.flatMap((key) => renameSenderKey(key, people)),
    ...(await renameSessions(sessions, people)),
    ...listMappings(people),
    ...listDevices(sessions, people),
  ]
}

const isOfNewerLine = ({ kind, id }: StoredKey): boolean =>
  NEWER_KINDS.includes(kind) || (kind === 'session' && id.includes('_'))

function toDeviceSession(key: StoredKey, identity: string | undefined): DeviceSession {
  const [user = '', device = '0'] = key.id.split('.')
  return { user, device, key, identity }
}

/** Of a session as it is stored; undefined for one without any. */
export const findIdentity = (record: SessionRecord): string | undefined =>
  findNewest(record)?.indexInfo.remoteIdentityKey

/** What the rows say of the ids of people. */
class People {
  readonly #numbers = new Set<string>()
  readonly #lids = new Set<string>()
  /** LIDs by number. */
  readonly pairs = new Map<string, string>()

  private constructor(me: Me) {
    this.#addJid(me.id)
    this.#addJid(me.lid)
    const [number, lid] = [me.id, me.lid].map((jid) => jidDecode(jid)?.user)
    if (number && lid) this.pairs.set(number, lid)
  }

  static async read(keys: StoredKey[], me: Me, sessions: DeviceSession[]): Promise<People> {
    const people = new People(me)
    const holders = keys.filter(({ kind }) => kind === 'sender-key-memory')
    await runInTurns(holders, ({ value }) => {
      for (const jid of Object.keys(decodeKey(value))) people.#addJid(jid)
    })
    people.#pairByIdentity(sessions)
    return people
  }

  /** The names under which the newer line may look for this person. */
  listNames(user: string): string[] {
    if (this.#lids.has(user)) return [user + LID_MARK]
    // Of an id that may be either, one of the names is never looked for.
    return this.isNumber(user) ? [user] : [user, user + LID_MARK]
  }

  isNumber(user: string): boolean {
    return this.#numbers.has(user)
  }

  mayBeNumber(user: string): boolean {
    return !this.#lids.has(user)
  }

  #addJid(jid: string | undefined): void {
    const { user } = jidDecode(jid) ?? {}
    if (user && isLidUser(jid)) this.#lids.add(user)
    if (user && isPnUser(jid)) this.#numbers.add(user)
  }

  #pairByIdentity(sessions: DeviceSession[]): void {
    const usersByIdentity = new Map<string, Set<string>>()
    for (const { user, identity } of sessions)
      if (identity) usersByIdentity.set(identity, (usersByIdentity.get(identity) ?? new Set()).add(user))
    for (const users of usersByIdentity.values()) {
      const [one, other, ...more] = users
      if (one && other && more.length === 0) this.#pair(one, other)
    }
  }

  #pair(one: string, other: string): void {
    // Where nothing else tells, the LID is the longer one.
    const isOneLid =
      this.#lids.has(one) || this.#numbers.has(other) || (!this.#lids.has(other) && one.length > other.length)
    const [lid, number] = isOneLid ? [one, other] : [other, one]
    this.#lids.add(lid)
    this.#numbers.add(number)
    this.pairs.set(number, lid)
  }
}

const listSessions = ({ _sessions }: SessionRecord): Session[] => Object.values(_sessions)

/** The session that was used last, if there is one. */
const findNewest = (record: SessionRecord): Session | undefined =>
  listSessions(record).reduce<Session | undefined>(
    (newest, one) => (newest && (newest.indexInfo.used ?? 0) >= (one.indexInfo.used ?? 0) ? newest : one),
    undefined,
  )

/** `group::user::device` */
function renameSenderKey(key: StoredKey, people: People): StoredKey[] {
  const [group = '', user = '', device = ''] = key.id.split('::')
  return people.listNames(user).map((name) => ({ ...key, id: `${group}::${name}::${device}` }))
}

async function renameSessions(sessions: DeviceSession[], people: People): Promise<StoredKey[]> {
  const renamed = new Map<string, StoredKey>()
  await runInTurns(sessions, ({ user, device, key }) => {
    const lid = people.pairs.get(user)
    for (const name of lid ? [lid + LID_MARK] : people.listNames(user)) {
      const id = `${name}.${device}`
      const known = renamed.get(id)
      renamed.set(id, { ...key, id, value: known ? mergeKeys(known, key) : key.value })
    }
  })
  return [...renamed.values()]
}

const mergeKeys = (one: StoredKey, other: StoredKey): StoredKey['value'] =>
  encodeKey(mergeRecords(decodeKey(one.value), decodeKey(other.value)))

/** What comes in either session is decrypted; what is sent uses the one that was used last. */
function mergeRecords(one: SessionRecord, other: SessionRecord): SessionRecord {
  const merged = { ...other, _sessions: { ...other._sessions, ...one._sessions } }
  const open = listSessions(merged).filter(({ indexInfo }) => indexInfo.closed === -1)
  const newest = findNewest({ ...merged, _sessions: Object.fromEntries(open.entries()) })
  for (const session of open) if (session !== newest) session.indexInfo.closed = Date.now()
  return merged
}

const listMappings = ({ pairs }: People): StoredKey[] =>
  [...pairs].flatMap(([number, lid]) => [
    { kind: 'lid-mapping', id: number, value: encodeKey(lid) },
    { kind: 'lid-mapping', id: `${lid}_reverse`, value: encodeKey(number) },
  ])

/** Of people whose LID is not known yet: by this list the newer line moves their sessions once it learns the LID. */
function listDevices(sessions: DeviceSession[], people: People): StoredKey[] {
  const unmapped = sessions.filter(({ user }) => people.mayBeNumber(user) && !people.pairs.has(user))
  return [...Map.groupBy(unmapped, ({ user }) => user)].map(([user, ofUser]) => ({
    kind: 'device-list',
    id: user,
    value: encodeKey(ofUser.map(({ device }) => device)),
  }))
}
