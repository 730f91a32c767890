// Apart from apply-patches.ts, because each patch is removed alone. Patch: a session with another device stores only its last ten
// receiving chains.

import { libsignal, type Patch } from './patch.ts'

/** More than the network's own clients store. A message that arrives after this many replies cannot be decrypted. */
const MAX_CHAINS = 10
/** libsignal's type of a receiving chain. */
const RECEIVING = 2

/** The part of libsignal's record that its types leave out. Chains are in the order in which they began, also after a reload. */
interface SessionRecord {
  sessions: Record<string, { _chains: Record<string, { chainType: number }> }>
  serialize(): unknown
}

const record = libsignal.SessionRecord.prototype as unknown as SessionRecord
const serialize = record.serialize

function serializeWithoutOldChains(this: SessionRecord): unknown {
  for (const { _chains: chains } of Object.values(this.sessions)) {
    const received = Object.keys(chains).filter((key) => chains[key]?.chainType === RECEIVING)
    for (const key of received.slice(0, -MAX_CHAINS)) delete chains[key]
  }
  return serialize.call(this)
}

export const forgetOldChains: Patch = {
  name: 'forget-old-chains',
  library: 'libsignal@6.0.0',
  fault:
    'A session keeps every receiving chain that it has ever had, one more with each answer, and reads, copies and writes all of them with each message.',
  why: 'After 49 minutes of steady messages both ways the session of one conversation was 776 KB long, a message took the host three times the processor time, and its memory and write-ahead log grew along.',
  upstream:
    'To file with WhiskeySockets/libsignal-node: "a session grows with each turn of the ratchet: receiving chains are never removed". Two ciphers that answer each other a hundred times, and the length of either record; other implementations keep the last five.',
  until: 'libsignal removes all but the newest receiving chains.',
  apply() {
    record.serialize = serializeWithoutOldChains
  },
}
