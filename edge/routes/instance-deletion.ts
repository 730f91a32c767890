// Deletes an instance with all its rows, which may be many.

import {
  events,
  instances,
  links,
  listeners,
  previousHosts,
  webhooks,
} from '@msgnet/shared/db/edge-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { instanceTokens } from '@msgnet/shared/db/sealed-tables.ts'
import { eq, sql } from 'drizzle-orm'
import { deleteKeys } from '../idempotency/key-store.ts'
import { deleteLateOutcomes } from '../idempotency/late-outcomes.ts'
import { writeInBatches } from '../store/database/batches.ts'
import type { Store } from '../store/database/open-store.ts'
import { deleteProxy } from '../store/proxy-queries.ts'

/**
 * The statements `following` are part of the write that deletes the instance. Its events are deleted before it: if that is interrupted,
 * the caller can send the request again. Keys are deleted after it, so that no key of a living instance becomes free; those that are left
 * by an interruption expire.
 */
export async function deleteInstance(store: Store, id: string, following: Statement[]): Promise<void> {
  await deleteEvents(store, id)
  await store.write([
    // Those that have come since.
    store.db.delete(events).where(eq(events.instanceId, id)),
    store.db.delete(listeners).where(eq(listeners.instanceId, id)),
    store.db.delete(links).where(eq(links.instanceId, id)),
    store.db.delete(webhooks).where(eq(webhooks.instanceId, id)),
    store.db.delete(previousHosts).where(eq(previousHosts.instanceId, id)),
    deleteProxy(store, id),
    store.db.delete(instanceTokens).where(eq(instanceTokens.instanceId, id)),
    store.db.delete(instances).where(eq(instances.id, id)),
    ...following,
  ])
  await deleteLateOutcomes(store, id)
  await deleteKeys(store, id)
}

async function deleteEvents(store: Store, instanceId: string): Promise<void> {
  await writeInBatches(store, async (atMost) => {
    const some = sql`rowid in (select rowid from ${events} where instance_id = ${instanceId} limit ${atMost})`
    return (await store.db.delete(events).where(some)).rowsAffected
  })
}
