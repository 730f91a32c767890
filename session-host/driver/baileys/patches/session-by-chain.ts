// Patch: a message is tried in the session that it belongs to alone, where its chain says which that is, and else in as many as its
// counters leave time for.

import { fromBaileys, libsignal, type Patch } from './patch.ts'

interface Entry {
  getChain(ephemeralKey: Buffer): object | undefined
}

/** The part of libsignal's cipher that its types leave out. */
interface Deciphering {
  decryptWithSessions(message: Buffer, sessions: Entry[]): Promise<object>
}

const { WhisperMessage } = fromBaileys('libsignal/src/protobufs') as {
  WhisperMessage: {
    decode(bytes: Buffer): { ephemeralKey: Buffer; counter: number; previousCounter: number }
  }
}
const cipher = libsignal.SessionCipher.prototype as unknown as Deciphering
const decrypt = cipher.decryptWithSessions

/** Before the message is its version, behind it its code of authentication. */
const [VERSION_BYTES, MAC_BYTES] = [1, 8]

/** Keys that one message may make the sessions derive together. In one session it may be twice 2,000, by the library's bounds. */
const MAX_KEYS = 4000

/** `sessions` has the last used ones first. */
function chooseSessions(message: Buffer, sessions: Entry[]): Entry[] {
  try {
    const decoded = WhisperMessage.decode(message.subarray(VERSION_BYTES, -MAC_BYTES))
    const { ephemeralKey, counter, previousCounter } = decoded
    // The sender has made the key of a chain at random, for one session.
    const session = sessions.find((entry) => entry.getChain(ephemeralKey))
    if (session) return [session]
    // The chain begins with this message. Both numbers are the sender's word.
    const keys = Math.max(0, counter) + Math.max(0, previousCounter) + 1
    return sessions.slice(0, Math.max(1, Math.floor(MAX_KEYS / keys)))
  } catch {
    // It can be read in no session, which the library says of each.
    return sessions
  }
}

function decryptInItsSession(this: Deciphering, message: Buffer, sessions: Entry[]): Promise<object> {
  // With most senders there is one, and the message need not be read for that.
  return decrypt.call(this, message, sessions.length > 1 ? chooseSessions(message, sessions) : sessions)
}

export const sessionByChain: Patch = {
  name: 'session-by-chain',
  library: 'libsignal@6.0.0',
  fault:
    'decryptWithSessions tries every session with the sender, also after the one that has the chain of the message, and in each derives as many keys as the message says.',
  why: 'A message that came a second time was tried in up to forty sessions, in each with as many keys as the place of the message in its chain: after the restart of a host, which gets some again, that took a share of the thread of all sessions that grew with the backlog. A contact with forty sessions could make it derive up to 160,000 keys with each message that nobody can read.',
  upstream:
    'To file with WhiskeySockets/libsignal-node: "decryptWithSessions goes on after the session that has the chain". With several sessions between two devices, a message that is decrypted twice: fillMessageKeys runs in each of the others.',
  until: 'libsignal looks for the chain of the message first.',
  apply() {
    cipher.decryptWithSessions = decryptInItsSession
  },
}
