// A message that does not decrypt in a session leaves that session as it was.

import { SessionCipher } from 'libsignal'

interface Entry {
  constructor: { deserialize(data: unknown): Entry }
  serialize(): unknown
}

/** What its types do not tell of libsignal's cipher. */
interface Deciphering {
  doDecryptWhisperMessage(message: Buffer, session: Entry): Promise<Buffer>
}

const cipher = SessionCipher.prototype as unknown as Deciphering
const decrypt = cipher.doDecryptWhisperMessage

async function decryptOrUndo(this: Deciphering, message: Buffer, session: Entry): Promise<Buffer> {
  const before = session.constructor.deserialize(session.serialize())
  try {
    return await decrypt.call(this, message, session)
  } catch (error) {
    Object.assign(session, before)
    throw error
  }
}

/**
 * libsignal 6 tries a message in one session with its sender after the other, turns the ratchet of each before it looks
 * at the seal, and saves them all once one has fitted. A session begun while messages of the one before were on their
 * way is spoiled by them, and nobody can read what is encrypted in it. Holds for the whole process.
 */
export function undoFailedAttempts(): void {
  cipher.doDecryptWhisperMessage = decryptOrUndo
}
