// The Signal sessions with other devices: one operation at a time on each, and on disk before anything is sent.

import {
  addTransactionCapability,
  DEFAULT_CONNECTION_CONFIG,
  isHostedPnUser,
  isLidUser,
  isPnUser,
  type SignalKeyStore,
  type SignalKeyStoreWithTransaction,
  type SocketConfig,
} from 'baileys'
import { Effect } from '../../effect.ts'
import { libsignal } from '../patches/patch.ts'

/** A failed commit is reported soon: 10 attempts 3 s apart would block every send of the session. */
export const COMMIT_RETRIES = { maxCommitRetries: 2, delayBetweenTriesMs: 200 }

export interface Ratchets extends ReturnType<typeof createIdentityReader> {
  repository: Repository
  keys: SignalKeyStoreWithTransaction
}

type Repository = ReturnType<SocketConfig['makeSignalRepository']>
type MakeRepository = SocketConfig['makeSignalRepository']

/**
 * The library encrypts inside a transaction of the whole send, which it commits after the message was sent, and
 * decrypts in a transaction of the sender: each undoes the other's change to the same ratchet, and recipients cannot read
 * a message that was encrypted with a used key. So the sessions get separate transactions, one at a time for each
 * device, under either of its two addresses.
 */
export function createRatchets(
  stored: SignalKeyStore,
  ...[{ creds }, log, findLid]: Parameters<MakeRepository>
): Ratchets {
  const own = addTransactionCapability(stored, log, COMMIT_RETRIES)
  const keys: SignalKeyStoreWithTransaction = {
    ...own,
    transaction: async (work, key) =>
      own.isInTransaction() ? work() : own.transaction(work, await findDeviceAddress(repository, key)),
  }
  const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds, keys }, log, findLid)
  const moved: Repository = {
    ...repository,
    migrateSession: (from, to) => keys.transaction(() => repository.migrateSession(from, to), to),
  }
  return {
    repository: takeTurns(announceEffects(refuseLongNames(moved))),
    keys,
    ...createIdentityReader(repository, keys),
  }
}

/** The part of libsignal's records that its types leave out. */
interface StoredSession {
  getOpenSession(): { indexInfo: { remoteIdentityKey: Uint8Array } } | undefined
  closeSession(session: object): void
  serialize(): unknown
}

function createIdentityReader(repository: Repository, keys: SignalKeyStoreWithTransaction) {
  async function readSession(jid: string): Promise<{ address: string; record?: StoredSession }> {
    const address = await findDeviceAddress(repository, jid)
    const { [address]: stored } = await keys.get('session', [address])
    if (!stored) return { address }
    return { address, record: libsignal.SessionRecord.deserialize(stored) as unknown as StoredSession }
  }
  return {
    /** The identity that the device named last, itself. */
    async readNamedIdentity(jid: string): Promise<Uint8Array | undefined> {
      const address = await findDeviceAddress(repository, jid)
      return (await keys.get('identity-key', [address]))[address]
    },
    /** The identity of the device in the session that messages to it use; or in none, the one that it named last. */
    async readIdentity(jid: string): Promise<Uint8Array | undefined> {
      const { address, record } = await readSession(jid)
      const open = record?.getOpenSession()
      return open?.indexInfo.remoteIdentityKey ?? (await keys.get('identity-key', [address]))[address]
    },
    /** The next message to the device begins a new session; what it sent in the old one is still decrypted. */
    closeSession: (jid: string): Promise<void> =>
      keys.transaction(async () => {
        const { address, record } = await readSession(jid)
        const open = record?.getOpenSession()
        if (!record || !open) return
        record.closeSession(open)
        await keys.set({ session: { [address]: record.serialize() as Uint8Array } })
      }, jid),
  }
}

/** Of a group, or of the list of who sees a status: all are far shorter. */
const MAX_GROUP_NAME = 128

/** Any sender may name a group with a key, and the library stores a row of that name before it looks at the key. */
const refuseLongNames = (repository: Repository): Repository => ({
  ...repository,
  async processSenderKeyDistributionMessage(named) {
    if ((named.item.groupId ?? '').length > MAX_GROUP_NAME) throw new Error('Invalid group of a sender key')
    return repository.processSenderKeyDistributionMessage(named)
  },
})

/** What is encrypted for a device is about to be sent: that is stored in the commit that advances the ratchet. */
const announceEffects = (repository: Repository): Repository => ({
  ...repository,
  async encryptMessage(options) {
    Effect.current?.announce()
    return repository.encryptMessage(options)
  },
})

/** Devices of a session whose keys are used in one turn of the event loop. Each takes up to a millisecond; a message to a person needs fewer. */
const MAX_IN_TURN = 8

/** So that other sessions go between. */
class KeyTurns {
  #begun = 0
  #waiting: (() => void)[] = []
  #isScheduled = false

  /** Resolves in this turn of the event loop while there is a place in it, else in a later one, in order. */
  takePlace(): Promise<void> | undefined {
    this.#scheduleNext()
    if (this.#begun < MAX_IN_TURN) {
      this.#begun += 1
      return undefined
    }
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  #scheduleNext(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => this.#beginTurn())
  }

  #beginTurn(): void {
    this.#isScheduled = false
    const next = this.#waiting.splice(0, MAX_IN_TURN)
    this.#begun = next.length
    if (next.length > 0) this.#scheduleNext()
    for (const resolve of next) resolve()
  }
}

/** The first message to a large group is encrypted for a thousand devices. */
function takeTurns(repository: Repository): Repository {
  const turns = new KeyTurns()
  return {
    ...repository,
    async encryptMessage(options) {
      await turns.takePlace()
      return repository.encryptMessage(options)
    },
    async injectE2ESession(options) {
      await turns.takePlace()
      return repository.injectE2ESession(options)
    },
    async validateSession(jid) {
      await turns.takePlace()
      return repository.validateSession(jid)
    },
  }
}

/** The address that a session is stored under; a group, or any other id that is no person, is its own address. */
async function findDeviceAddress(repository: Repository, key: string): Promise<string> {
  if (isLidUser(key)) return repository.jidToSignalProtocolAddress(key)
  if (!isPnUser(key) && !isHostedPnUser(key)) return key
  const lid = await repository.lidMapping.getLIDForPN(key)
  return repository.jidToSignalProtocolAddress(lid ?? key)
}
