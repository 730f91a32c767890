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

/** A failed commit is reported soon: 10 attempts 3 s apart would block every send of the session. */
export const COMMIT_RETRIES = { maxCommitRetries: 2, delayBetweenTriesMs: 200 }

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
): { repository: Repository; keys: SignalKeyStoreWithTransaction } {
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
  return { repository: moved, keys }
}

/** The address that a session is stored under; a group, or any other id that is no person, is its own address. */
async function findDeviceAddress(repository: Repository, key: string): Promise<string> {
  if (isLidUser(key)) return repository.jidToSignalProtocolAddress(key)
  if (!isPnUser(key) && !isHostedPnUser(key)) return key
  const lid = await repository.lidMapping.getLIDForPN(key)
  return repository.jidToSignalProtocolAddress(lid ?? key)
}
