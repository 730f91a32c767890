// The simulated network as one object: its store, its live connections, its log and its faults.

import { Faults } from '../faults/active-faults.ts'
import { Media } from '../media/media-exchange.ts'
import type { Store } from '../store/network-store.ts'
import { Calls } from './call-registry.ts'
import { Terms } from './client-terms.ts'
import { CodePairings } from './code-pairings.ts'
import { Connections } from './connections.ts'
import { PasskeyPairings } from './passkey-pairings.ts'
import { PhonePresences } from './phone-presences.ts'
import { References } from './qr-references.ts'
import { Log } from './traffic-log.ts'

export type Network = {
  store: Store
  connections: Connections
  log: Log
  faults: Faults
  terms: Terms
  media: Media
  calls: Calls
  phonePresences: PhonePresences
  /** The references of QR codes. */
  references: References
  /** Candidates whose pairing code has not been typed on a phone yet. */
  codes: CodePairings
  /** Candidates whose account needs a passkey, until they are linked. */
  passkeys: PasskeyPairings
}

export function createNetwork(store: Store): Network {
  return {
    store,
    connections: new Connections(),
    log: new Log(),
    faults: new Faults(),
    terms: new Terms(),
    media: new Media(store),
    calls: new Calls(),
    phonePresences: new PhonePresences(),
    references: new References(),
    codes: new CodePairings(),
    passkeys: new PasskeyPairings(),
  }
}
