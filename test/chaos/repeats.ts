// Events that were delivered more than once.

import type { Delivery } from '../receiver.ts'

/** Deliveries of an event beyond its first, in percent of all. */
export const computeDuplicatePercent = (deliveries: Delivery[]): number =>
  (countRepeats(deliveries) / Math.max(deliveries.length, 1)) * 100

/** The most deliveries beyond the first that one instance got. `deliveries`: of a receiver that is one webhook of each instance. */
export function findMostRepeated(deliveries: Delivery[]): number {
  const byInstance = Map.groupBy(deliveries, ({ envelope }) => envelope.instanceId)
  return Math.max(0, ...[...byInstance.values()].map(countRepeats))
}

const countRepeats = (deliveries: Delivery[]): number =>
  deliveries.length - new Set(deliveries.map(({ headers }) => headers['webhook-id'])).size
