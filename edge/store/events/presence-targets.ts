// Finds who is to get the presence of instances: a webhook that wants it, or an open stream.

import { and, eq, gt, inArray } from 'drizzle-orm'
import { instances, listeners, subscriptions } from '../../../shared/db/edge-tables.ts'
import type { Store } from '../database/open-store.ts'
import { isActive } from './delivery-queue.ts'
import type { DeliveryTarget } from './due-events.ts'

export interface PresenceTarget {
  instance: string
  instanceName: string
  /** Presence of an earlier assignment is not delivered. */
  epoch: number
  webhook: DeliveryTarget | undefined
  hasStream: boolean
}

/** Of the named instances that are assigned to this host; those without any receiver are left out. */
export async function findPresenceTargets(
  { db }: Store,
  hostId: string,
  named: string[],
): Promise<PresenceTarget[]> {
  const [found, streams] = await Promise.all([
    db
      .select({
        instance: instances.id,
        instanceName: instances.name,
        epoch: instances.epoch,
        subscription: subscriptions,
      })
      .from(instances)
      .leftJoin(subscriptions, eq(subscriptions.instanceId, instances.id))
      .where(and(inArray(instances.id, named), eq(instances.hostId, hostId))),
    db
      .select({ instance: listeners.instanceId })
      .from(listeners)
      .where(and(inArray(listeners.instanceId, named), gt(listeners.until, Date.now()))),
  ])
  const listening = new Set(streams.map(({ instance }) => instance))
  return found
    .map(({ subscription, instanceName, ...about }): PresenceTarget => {
      const target = subscription ? { instanceName, subscription } : undefined
      const wanted = target && isActive(target) && target.subscription.events.includes('presence')
      const webhook = wanted ? target : undefined
      return { ...about, instanceName, webhook, hasStream: listening.has(about.instance) }
    })
    .filter(({ webhook, hasStream }) => webhook !== undefined || hasStream)
}
