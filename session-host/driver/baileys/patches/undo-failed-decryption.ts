// Patch: a message that cannot be decrypted in a session leaves that session unchanged.

import { libsignal, type Patch } from './patch.ts'

/** What turning a ratchet changes of libsignal's session. It replaces keys, and never writes into one. */
interface Entry {
  currentRatchet: { ephemeralKeyPair: object }
  indexInfo: object
  _chains: Record<string, { chainKey: object; messageKeys: object }>
}

/** The part of libsignal's cipher that its types leave out. */
interface Deciphering {
  doDecryptWhisperMessage(message: Buffer, session: Entry): Promise<Buffer>
}

const cipher = libsignal.SessionCipher.prototype as unknown as Deciphering
const decrypt = cipher.doDecryptWhisperMessage

/** Shares the keys: to serialise and read them again took as long as the decryption itself. */
function copyEntry({ currentRatchet, indexInfo, _chains }: Entry): Entry {
  const chains = Object.entries(_chains).map(([key, { chainKey, messageKeys, ...rest }]) => [
    key,
    { ...rest, chainKey: { ...chainKey }, messageKeys: { ...messageKeys } },
  ])
  return {
    currentRatchet: { ...currentRatchet, ephemeralKeyPair: { ...currentRatchet.ephemeralKeyPair } },
    indexInfo: { ...indexInfo },
    _chains: Object.fromEntries(chains),
  }
}

async function decryptOrUndo(this: Deciphering, message: Buffer, session: Entry): Promise<Buffer> {
  const before = copyEntry(session)
  try {
    return await decrypt.call(this, message, session)
  } catch (error) {
    Object.assign(session, before)
    throw error
  }
}

export const undoFailedDecryption: Patch = {
  name: 'undo-failed-decryption',
  library: 'libsignal@6.0.0',
  fault:
    'decryptWhisperMessage tries all sessions with the sender in turn, advances the ratchet of each before it checks the MAC, and saves all of them once one has succeeded.',
  why: 'A session that was begun while messages of the one before were on their way was spoiled by them, and nobody could read what was encrypted in it.',
  upstream:
    'To file with WhiskeySockets/libsignal-node: "a failed try of decryptWithSessions leaves the session\'s ratchet turned". With two sessions between two devices, a message of the older that arrives after the newer was begun, and a message in the newer that nobody can read.',
  until: 'libsignal works on a copy of each session and saves only the one that succeeded.',
  apply() {
    cipher.doDecryptWhisperMessage = decryptOrUndo
  },
}
