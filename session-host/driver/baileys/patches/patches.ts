// Every mend of a library that the driver stands on, and the one call that makes them.

import { forgetOldChains } from './forget-old-chains.ts'
import { forgetStoredMessages } from './forget-stored-messages.ts'
import { keyObjects } from './key-objects.ts'
import { lastingMappings } from './lasting-mappings.ts'
import type { Patch, PatchSettings } from './patch.ts'
import { queuePerTransaction } from './queue-per-transaction.ts'
import { undoFailedDecryption } from './undo-failed-decryption.ts'
import { verifySignatures } from './verify-signatures.ts'

export const patches: readonly Patch[] = [
  verifySignatures,
  undoFailedDecryption,
  queuePerTransaction,
  forgetOldChains,
  keyObjects,
  forgetStoredMessages,
  lastingMappings,
]

/** For the whole process, before any socket. */
export function applyPatches(settings: PatchSettings = {}): void {
  for (const patch of patches) patch.apply(settings)
}
