// Subscriptions in the database: where an instance's events go, and how that destination fares.

import { eq, sql } from 'drizzle-orm'
import { events, subscriptions } from '../../shared/db/edge-tables.ts'
import { prepare, type Statement } from '../../shared/db/statements.ts'
import type { Store } from './database/database.ts'
import { buryStranded, dropCopies, GLOBAL_URL, inheritStatement, oneInstance } from './inheritance.ts'
import { changedSecret, firstSecret, type SecretChange } from './secret-change.ts'

/** An event that failed this often lets the later ones pass. */
export const FAILURES_THAT_BLOCK = 3

export type SubscriptionRow = typeof subscriptions.$inferSelect

/** What deliveryStatus counts beside the row itself. */
export interface Backlog {
  pending: number
  dead: number
  /** When the next waiting event is tried again, if none can go out before; else 0. */
  retryAt: number
}

const waits = sql`${events.instanceId} = ${subscriptions.instanceId} and ${events.status} = 'pending'`
const pending = sql<number>`(select count(*) from ${events} where ${waits})`
const died = sql`${events.instanceId} = ${subscriptions.instanceId} and ${events.status} = 'dead'
  and ${events.deadAt} > ${subscriptions.since}`
// Conditions stand apart from these: of what is selected itself the builder takes the tables' names away.
const dead = sql<number>`(select count(*) from ${events} where ${died})`
const inOrder = sql`(select case when ${events.attempts} > 0 then ${events.nextAttemptAt} else 0 end from ${events}
  where ${waits} and ${events.attempts} < ${sql.raw(String(FAILURES_THAT_BLOCK))} order by ${events.seq} limit 1)`
const retryAt = sql<number>`coalesce(${inOrder}, (select min(${events.nextAttemptAt}) from ${events} where ${waits}), 0)`

export const backlogColumns = { pending, dead, retryAt }

/** How a destination fares. */
export type SubscriptionHealth = Backlog &
  Pick<SubscriptionRow, 'mode' | 'enabled' | 'gone' | 'lastDeliveredAt' | 'lastFailure'>

const ofInstance = prepare((db) =>
  db
    .select({ row: subscriptions, ...backlogColumns })
    .from(subscriptions)
    .where(eq(subscriptions.instanceId, sql.placeholder('instanceId'))),
)

export type Subscribed = SubscriptionRow & Backlog

type Found = { row: SubscriptionRow } & Backlog
const withBacklog = ([found]: Found[]): Subscribed | undefined =>
  found && { ...found.row, pending: found.pending, dead: found.dead, retryAt: found.retryAt }

/** Undefined for an instance that made no choice of its own while there is no global webhook. */
export async function subscriptionOf(store: Store, instanceId: string): Promise<Subscribed | undefined> {
  return withBacklog(await store.read(ofInstance, { instanceId }))
}

export type Destination = Pick<
  SubscriptionRow,
  'url' | 'events' | 'ignoredEvents' | 'excludeMessages' | 'enabled'
> &
  Partial<typeof asGiven>

/** Nothing stands behind the path of the URL. */
export const asGiven = { addUrlEvents: false, addUrlTypes: false }

/** Saves an own destination, and what is `also` to be written. The same URL goes on where it was; another starts behind the events that exist. */
export async function saveDestination(
  store: Store,
  instanceId: string,
  destination: Destination,
  secret: SecretChange,
  also: Statement[],
): Promise<void> {
  const now = Date.now()
  const same = sql`(mode <> 'off' and url = excluded.url)`
  const chosen = { mode: 'own', ...asGiven, ...destination, gone: false, updatedAt: now } as const
  const save = store.db
    .insert(subscriptions)
    .values({
      ...{ id: crypto.randomUUID(), instanceId, ...chosen, ...firstSecret(secret) },
      ...{ since: now, createdAt: now },
    })
    .onConflictDoUpdate({
      target: subscriptions.instanceId,
      set: {
        ...chosen,
        // An inherited secret is the server's: it does not become the instance's.
        ...changedSecret(secret, sql`mode = 'own'`),
        since: sql`case when ${same} then since else excluded.since end`,
        lastDeliveredAt: sql`case when ${same} then last_delivered_at else 0 end`,
        lastFailure: sql`case when ${same} then last_failure end`,
      },
    })
  await store.write([buryStranded(oneInstance(instanceId), now, '?', [destination.url]), save, ...also])
}

/** Delivery is off for the instance, whatever the server's global webhook says. */
export async function turnOff(store: Store, instanceId: string, also: Statement[]): Promise<void> {
  const now = Date.now()
  const off = {
    ...({ mode: 'off', url: '', events: [], ignoredEvents: [], excludeMessages: null } as const),
    ...{
      enabled: false,
      ...asGiven,
      secret: null,
      previousSecret: null,
      previousSecretUntil: 0,
      gone: false,
    },
    ...{ since: now, lastDeliveredAt: 0, lastFailure: null, updatedAt: now },
  } satisfies Omit<typeof subscriptions.$inferInsert, 'id' | 'instanceId' | 'createdAt'>
  const save = store.db
    .insert(subscriptions)
    .values({ ...off, instanceId, id: crypto.randomUUID(), createdAt: now })
    .onConflictDoUpdate({ target: subscriptions.instanceId, set: off })
  await store.write([buryStranded(oneInstance(instanceId), now, 'null'), save, ...also])
}

/** For the write that makes the instance. */
export const inheritAtBirth = (instanceId: string) => inheritStatement(oneInstance(instanceId), Date.now())

/** Back to the server's global webhook, whatever that is now. */
export async function inherit(store: Store, instanceId: string, also: Statement[]): Promise<void> {
  const scope = oneInstance(instanceId)
  const now = Date.now()
  await store.write([
    buryStranded(scope, now, GLOBAL_URL),
    inheritStatement(scope, now),
    // With nothing to inherit it has no row, like a new instance.
    dropCopies(scope),
    ...also,
  ])
}
