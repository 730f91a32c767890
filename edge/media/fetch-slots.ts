// Limits the fetches of callers' URLs: each instance may have a few at a time in this isolate.

import { limits } from '../../shared/contract/limits.ts'
import { SECOND } from '../../shared/date-time.ts'
import { createQuotaFault } from '../quotas.ts'

/** An aborted request may never end its fetch here, so a fetch without progress for this long counts as ended. */
const STALLED_MS = 20 * SECOND

export interface FetchSlot {
  /** Called when bytes have arrived. */
  onProgress(): void
  releaseSlot(): void
}

const slotsByInstance = new Map<string, Set<{ until: number }>>()

/** Throws if the instance has the most fetches under way. */
export function claimFetchSlot(instance: string): FetchSlot {
  const now = Date.now()
  const slots = slotsByInstance.get(instance) ?? new Set()
  for (const slot of slots) if (slot.until <= now) slots.delete(slot)
  if (slots.size >= limits.maxConcurrentUrlFetches) throw createQuotaFault('fetches', SECOND)
  const ownSlot = { until: now + STALLED_MS }
  slotsByInstance.set(instance, slots.add(ownSlot))
  return {
    onProgress() {
      ownSlot.until = Date.now() + STALLED_MS
    },
    releaseSlot() {
      slots.delete(ownSlot)
      if (slots.size === 0 && slotsByInstance.get(instance) === slots) slotsByInstance.delete(instance)
    },
  }
}
