// The Signal sessions with other devices: one piece of work at a time on each, and on disk before anything is written.

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

/** A commit that fails is told at once: 10 attempts 3 s apart would hold every send of the session behind it. */
export const COMMIT_TRIES = { maxCommitRetries: 2, delayBetweenTriesMs: 200 }

type Repository = ReturnType<SocketConfig['makeSignalRepository']>
type MakeRepository = SocketConfig['makeSignalRepository']

/**
 * The library encrypts inside a transaction of the whole send, which it commits after the message is on its way, and
 * decrypts in one of the sender's: each undoes what the other did to the same ratchet, and recipients cannot read what
 * was encrypted twice with one key. So the sessions get transactions apart from the library's, one at a time for each
 * device, whichever of its two addresses it is called by.
 */
export function makeRatchets(
  stored: SignalKeyStore,
  ...[{ creds }, log, findLid]: Parameters<MakeRepository>
): { repository: Repository; keys: SignalKeyStoreWithTransaction } {
  const own = addTransactionCapability(stored, log, COMMIT_TRIES)
  const keys: SignalKeyStoreWithTransaction = {
    ...own,
    transaction: async (work, key) =>
      own.isInTransaction() ? work() : own.transaction(work, await deviceOf(repository, key)),
  }
  const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds, keys }, log, findLid)
  const moved: Repository = {
    ...repository,
    migrateSession: (from, to) => keys.transaction(() => repository.migrateSession(from, to), to),
  }
  return { repository: moved, keys }
}

/** What a session is stored under; a group, and whatever else is no person, stands for itself. */
async function deviceOf(repository: Repository, key: string): Promise<string> {
  if (isLidUser(key)) return repository.jidToSignalProtocolAddress(key)
  if (!isPnUser(key) && !isHostedPnUser(key)) return key
  const lid = await repository.lidMapping.getLIDForPN(key)
  return repository.jidToSignalProtocolAddress(lid ?? key)
}
