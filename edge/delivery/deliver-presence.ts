// Hands presence that a host sent to the couriers of its instances. It is never stored, and dropped while the edge is busy.

import type { PresenceItem } from '@msgnet/shared/contract/presence-event.ts'
import type { PresenceBatch } from '../objects/due-events.ts'
import { count } from '../observability/counters.ts'
import { log } from '../observability/edge-log.ts'
import type { Env } from '../settings/env.ts'
import type { Store } from '../store/database/open-store.ts'
import { findPresenceTargets, isInChats, type PresenceTarget } from '../store/events/presence-targets.ts'
import { notifyPresence } from './notify-couriers.ts'
import { toDestination } from './webhook-secrets.ts'

/** Frames at once; more of them would only wait for the database. */
const MAX_RUNNING = 4
let running = 0

interface PresenceContext {
  env: Env
  host: string
  store: Store
}

/** A failure is counted and logged: the next state of the same person replaces this one. */
export async function deliverPresence(context: PresenceContext, items: PresenceItem[]): Promise<void> {
  if (running >= MAX_RUNNING) return count('edge_presence_total', { result: 'dropped' }, items.length)
  running++
  try {
    await passToCouriers(context, items)
  } catch (error) {
    count('edge_presence_total', { result: 'dropped' }, items.length)
    log(context.env, 'warn', 'failed to deliver presence', { host: context.host, error })
  } finally {
    running--
  }
}

async function passToCouriers({ env, host, store }: PresenceContext, items: PresenceItem[]): Promise<void> {
  const named = [...new Set(items.map(({ instance }) => instance))]
  const targets = await findPresenceTargets(store, host, named)
  await Promise.all(targets.map((target) => notifyPresence(env, toBatch(target, items))))
}

function toBatch(
  { instance, instanceName, handle, epoch, webhooks }: PresenceTarget,
  received: PresenceItem[],
): PresenceBatch {
  const items = received.filter((item) => item.instance === instance && item.epoch >= epoch)
  const destinations = webhooks.map((webhook) => ({
    destination: toDestination(webhook),
    items: items.filter(({ event }) => isInChats(webhook.chats, event)),
  }))
  return { instance, instanceName, handle, destinations, items }
}
