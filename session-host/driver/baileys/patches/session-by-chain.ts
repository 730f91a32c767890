// Patch: a message is tried in the session that it belongs to alone, where its chain says which that is.

import { fromBaileys, libsignal, type Patch } from './patch.ts'

interface Entry {
  getChain(ephemeralKey: Buffer): object | undefined
}

/** The part of libsignal's cipher that its types leave out. */
interface Deciphering {
  decryptWithSessions(message: Buffer, sessions: Entry[]): Promise<object>
}

const { WhisperMessage } = fromBaileys('libsignal/src/protobufs') as {
  WhisperMessage: { decode(bytes: Buffer): { ephemeralKey: Buffer } }
}
const cipher = libsignal.SessionCipher.prototype as unknown as Deciphering
const decrypt = cipher.decryptWithSessions

/** Before the message is its version, behind it its code of authentication. */
const [VERSION_BYTES, MAC_BYTES] = [1, 8]

/** The sender has made the key of a chain at random, for one session. Undefined for a chain that begins with this message. */
function findSession(message: Buffer, sessions: Entry[]): Entry | undefined {
  try {
    const { ephemeralKey } = WhisperMessage.decode(message.subarray(VERSION_BYTES, -MAC_BYTES))
    return sessions.find((session) => session.getChain(ephemeralKey))
  } catch {
    // It can be read in no session, which the library says of each.
    return undefined
  }
}

function decryptInItsSession(this: Deciphering, message: Buffer, sessions: Entry[]): Promise<object> {
  // With most senders there is one, and the message need not be read for that.
  const session = sessions.length > 1 ? findSession(message, sessions) : undefined
  return decrypt.call(this, message, session ? [session] : sessions)
}

export const sessionByChain: Patch = {
  name: 'session-by-chain',
  library: 'libsignal@6.0.0',
  fault:
    'decryptWithSessions tries every session with the sender, also after the one that has the chain of the message.',
  why: 'A message that came a second time was tried in up to forty sessions, in each with as many keys as the place of the message in its chain: after the restart of a host, which gets some again, that took a share of the thread of all sessions that grew with the backlog.',
  upstream:
    'To file with WhiskeySockets/libsignal-node: "decryptWithSessions goes on after the session that has the chain". With several sessions between two devices, a message that is decrypted twice: fillMessageKeys runs in each of the others.',
  until: 'libsignal looks for the chain of the message first.',
  apply() {
    cipher.decryptWithSessions = decryptInItsSession
  },
}
