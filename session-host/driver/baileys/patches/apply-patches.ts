// All patches of the driver's libraries, and the call that applies them.

import { boundedDecoding } from './bounded-decoding.ts'
import { boundedInflating } from './bounded-inflating.ts'
import { boundedSenderKeys } from './bounded-sender-keys.ts'
import { boundedStanzas } from './bounded-stanzas.ts'
import { compiledCurve } from './compiled-curve.ts'
import { forgetOldChains } from './forget-old-chains.ts'
import { forgetStoredMessages } from './forget-stored-messages.ts'
import { growingRetryCaches } from './growing-retry-caches.ts'
import { keepNewerFields } from './keep-newer-fields.ts'
import { keyObjects } from './key-objects.ts'
import { lastingMappings } from './lasting-mappings.ts'
import type { Patch, PatchSettings } from './patch.ts'
import { preKeysAhead } from './pre-keys-ahead.ts'
import { queuePerTransaction } from './queue-per-transaction.ts'
import { sessionByChain } from './session-by-chain.ts'
import { undoFailedDecryption } from './undo-failed-decryption.ts'
import { verifySignatures } from './verify-signatures.ts'

export const patches: readonly Patch[] = [
  verifySignatures,
  undoFailedDecryption,
  sessionByChain,
  queuePerTransaction,
  forgetOldChains,
  compiledCurve,
  boundedSenderKeys,
  keyObjects,
  forgetStoredMessages,
  growingRetryCaches,
  lastingMappings,
  boundedDecoding,
  keepNewerFields,
  boundedInflating,
  boundedStanzas,
  preKeysAhead,
]

/** Applies them for the whole process, before any socket is opened. */
export function applyPatches(settings: PatchSettings = {}): void {
  for (const patch of patches) patch.apply(settings)
}
