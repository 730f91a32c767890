// Finds who is to get the presence of instances: webhooks that want it, or an open stream.

import type { PresenceEvent } from '@msgnet/shared/contract/presence-event.ts'
import { furtherWebhooks, instances, listeners, subscriptions } from '@msgnet/shared/db/edge-tables.ts'
import { isGroup } from '@msgnet/shared/jid.ts'
import { toCommonForm } from '@msgnet/shared/number-spellings.ts'
import { and, eq, gt, inArray, sql } from 'drizzle-orm'
import type { DeliveryTarget, FurtherWebhookRow } from '../../objects/due-events.ts'
import type { Store } from '../database/open-store.ts'
import { isActive } from './delivery-queue.ts'

export interface PresenceTarget {
  instance: string
  instanceName: string
  /** Presence of an earlier assignment is not delivered. */
  epoch: number
  /** The first webhook, if it wants presence. */
  first: DeliveryTarget['subscription'] | undefined
  further: FurtherWebhookRow[]
  hasStream: boolean
}

/** Of the named instances that are assigned to this host; those without any receiver are left out. */
export async function findPresenceTargets(
  { db }: Store,
  hostId: string,
  named: string[],
): Promise<PresenceTarget[]> {
  const [found, further, streams] = await Promise.all([
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
      .select()
      .from(furtherWebhooks)
      .where(
        and(
          inArray(furtherWebhooks.instanceId, named),
          sql`${furtherWebhooks.enabled} and not ${furtherWebhooks.gone}`,
        ),
      ),
    db
      .select({ instance: listeners.instanceId })
      .from(listeners)
      .where(and(inArray(listeners.instanceId, named), gt(listeners.until, Date.now()))),
  ])
  const listening = new Set(streams.map(({ instance }) => instance))
  const wantsPresence = ({ events }: Pick<FurtherWebhookRow, 'events'>) => events.includes('presence')
  return found
    .map(({ subscription, instanceName, ...about }): PresenceTarget => {
      const isWanted = subscription && isActive({ instanceName, subscription }) && wantsPresence(subscription)
      return {
        ...about,
        instanceName,
        first: isWanted ? subscription : undefined,
        further: further.filter((one) => one.instanceId === about.instance && wantsPresence(one)),
        hasStream: listening.has(about.instance),
      }
    })
    .filter(({ first, further: others, hasStream }) => first || others.length > 0 || hasStream)
}

/** Whether presence in a chat is for a webhook with this choice of chats: by either id of a person, in either form of a number. */
export function isInChats(chats: string[] | null, { number, sender_pn, sender_lid }: PresenceEvent): boolean {
  if (chats === null) return true
  if (chats.includes(isGroup(number) ? 'groups' : 'people')) return true
  const ids = isGroup(number) ? [number] : [number, sender_pn, sender_lid].map(toCommonForm)
  return chats.some((chat) => ids.includes(toCommonForm(chat)))
}
