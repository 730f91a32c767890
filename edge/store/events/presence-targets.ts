// Finds who is to get the presence of instances: webhooks that want it, or an open stream.

import type { PresenceEvent } from '@msgnet/shared/contract/presence-event.ts'
import { instances, listeners, webhooks } from '@msgnet/shared/db/edge-tables.ts'
import { isGroup } from '@msgnet/shared/jid.ts'
import { toCommonForm } from '@msgnet/shared/number-spellings.ts'
import { and, asc, eq, gt, inArray, sql } from 'drizzle-orm'
import type { WebhookRow } from '../../objects/due-events.ts'
import type { Store } from '../database/open-store.ts'
import { IS_ACTIVE } from './lane-sql.ts'

export interface PresenceTarget {
  instance: string
  instanceName: string
  handle: string | null
  /** Presence of an earlier assignment is not delivered. */
  epoch: number
  /** Those that want presence. */
  webhooks: WebhookRow[]
  hasStream: boolean
}

/** Of the named instances that are assigned to this host; those without any receiver are left out. */
export async function findPresenceTargets(
  { db }: Store,
  hostId: string,
  named: string[],
): Promise<PresenceTarget[]> {
  const [found, active, streams] = await Promise.all([
    db
      .select({
        instance: instances.id,
        instanceName: instances.name,
        handle: instances.handle,
        epoch: instances.epoch,
      })
      .from(instances)
      .where(and(inArray(instances.id, named), eq(instances.hostId, hostId))),
    db
      .select()
      .from(webhooks)
      .where(and(inArray(webhooks.instanceId, named), sql.raw(IS_ACTIVE)))
      .orderBy(asc(webhooks.position)),
    db
      .select({ instance: listeners.instanceId })
      .from(listeners)
      .where(and(inArray(listeners.instanceId, named), gt(listeners.until, Date.now()))),
  ])
  const listening = new Set(streams.map(({ instance }) => instance))
  return found
    .map(
      (about): PresenceTarget => ({
        ...about,
        webhooks: active.filter(
          ({ instanceId, events }) => instanceId === about.instance && events.includes('presence'),
        ),
        hasStream: listening.has(about.instance),
      }),
    )
    .filter(({ webhooks: wanting, hasStream }) => wanting.length > 0 || hasStream)
}

/** Whether presence in a chat is for a webhook with this choice of chats: by either id of a person, in either form of a number. */
export function isInChats(chats: string[] | null, { number, sender_pn, sender_lid }: PresenceEvent): boolean {
  if (chats === null) return true
  if (chats.includes(isGroup(number) ? 'groups' : 'people')) return true
  const ids = isGroup(number) ? [number] : [number, sender_pn, sender_lid].map(toCommonForm)
  return chats.some((chat) => ids.includes(toCommonForm(chat)))
}
