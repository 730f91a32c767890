// Queries for subscriptions: the destination of an instance's events, and its health.

import { events, subscriptions } from '@msgnet/shared/db/edge-tables.ts'
import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { FAILURES_THAT_BLOCK } from '@msgnet/shared/delivery-schedule.ts'
import { eq, type SQL, sql } from 'drizzle-orm'
import type { Condition } from './audit-queries.ts'
import type { Store } from './database/open-store.ts'
import {
  buildFirstSecret,
  buildSecretColumns,
  hasSameOrigin,
  keepsSecrets,
  retainHeaders,
  type SecretChange,
} from './secret-change.ts'
import {
  columnsOfSameUrl,
  copyServerWebhook,
  deleteCopies,
  GLOBAL_URL,
  markMostStrandedDead,
  markStrandedDead,
  selectOneInstance,
} from './webhook-inheritance.ts'

export type SubscriptionRow = typeof subscriptions.$inferSelect

/** The counts in `deliveryStatus` that are not columns of the row. */
export interface Backlog {
  pending: number
  dead: number
  /** When the next waiting event is due, or has been due since; 0 if none waits. */
  dueAt: number
}

const waits = sql`${events.instanceId} = ${subscriptions.instanceId} and ${events.status} = 'pending'`
const blocks = sql`${events.attempts} < ${sql.raw(String(FAILURES_THAT_BLOCK))}`
const pending = sql<number>`(select count(*) from ${events} where ${waits})`
const died = sql`${events.instanceId} = ${subscriptions.instanceId} and ${events.status} = 'dead'
  and ${events.deadAt} > ${subscriptions.since}`
// Conditions are written apart, because the query builder removes the tables' names from selected expressions.
const dead = sql<number>`(select count(*) from ${events} where ${died})`
const inOrder = sql`(select ${events.nextAttemptAt} from ${events}
  where ${waits} and ${blocks} order by ${events.seq} limit 1)`
const dueAt = sql<number>`coalesce(${inOrder}, (select min(${events.nextAttemptAt}) from ${events} where ${waits}), 0)`

export const backlogColumns = { pending, dead, dueAt }

/** The health of a destination. */
export type SubscriptionHealth = Backlog &
  Pick<SubscriptionRow, 'mode' | 'enabled' | 'gone' | 'lastDeliveredAt' | 'failingSince' | 'lastFailure'>

const FIND_BY_INSTANCE = prepareQuery((db) =>
  db
    .select({ row: subscriptions, ...backlogColumns })
    .from(subscriptions)
    .where(eq(subscriptions.instanceId, sql.placeholder('instanceId'))),
)

export type Subscribed = SubscriptionRow & Backlog

type Found = { row: SubscriptionRow } & Backlog
const addBacklog = ([found]: Found[]): Subscribed | undefined =>
  found && { ...found.row, pending: found.pending, dead: found.dead, dueAt: found.dueAt }

/** Undefined for an instance without its own choice if there is no global webhook. */
export async function findSubscription(store: Store, instanceId: string): Promise<Subscribed | undefined> {
  return addBacklog(await store.read(FIND_BY_INSTANCE, { instanceId }))
}

export type Destination = Pick<
  SubscriptionRow,
  'url' | 'events' | 'ignoredEvents' | 'excludeMessages' | 'enabled'
> &
  Partial<typeof plainUrl> &
  // What is left out stays, while the origin is the same.
  Partial<Pick<SubscriptionRow, 'headers' | 'headerNames'>>

/** Nothing is added to the path of the URL. */
export const plainUrl = { addUrlEvents: false, addUrlTypes: false }

/** What a save that does not know these options leaves as it is. */
export const pickUrlOptions = ({ addUrlEvents, addUrlTypes }: typeof plainUrl): typeof plainUrl => ({
  addUrlEvents,
  addUrlTypes,
})

/** The columns of a webhook that delivers nothing. */
export const noDestination = {
  url: '',
  events: [],
  ignoredEvents: [],
  excludeMessages: null,
  enabled: false,
  ...plainUrl,
  secret: null,
  previousSecret: null,
  previousSecretUntil: 0,
}

/** SQL of a save: whether the existing row has all these values already. */
export const sameDestination = sql`url = excluded.url and events = excluded.events
  and ignored_events = excluded.ignored_events and exclude_messages is excluded.exclude_messages
  and enabled = excluded.enabled and add_url_events = excluded.add_url_events and add_url_types = excluded.add_url_types`

/**
 * Saves the instance's own destination, and the statements `also`, which directly follow the change. Another
 * URL gets only events from now on. A save that changes nothing is not written.
 */
export async function saveDestination(
  store: Store,
  instanceId: string,
  destination: Destination,
  secret: SecretChange,
  also: Statement[],
): Promise<void> {
  const scope = selectOneInstance(instanceId)
  await markMostStrandedDead(store, scope, '?', [destination.url])
  // Not before those died, which do not count for the new URL.
  const now = Date.now()
  const save = buildSave(store, instanceId, destination, secret, isChangedBy(secret, destination))
  await store.write([markStrandedDead(scope, now, '?', [destination.url]), save, ...also])
}

/** Saves it as the instance's own if delivery is off or has never been set, when no event waits. Returns false if it is not. */
export async function saveFirstDestination(
  store: Store,
  instanceId: string,
  destination: Destination,
  secret: SecretChange,
  also: Statement[],
): Promise<boolean> {
  const save = buildSave(store, instanceId, destination, secret, sql`mode = 'off'`)
  const [saved] = await store.write([save, ...also])
  return saved?.rowsAffected === 1
}

const isChangedBy = (secret: SecretChange, destination: Destination) =>
  sql`not (mode = 'own' and not gone and ${sameDestination} and ${keepsSecrets(secret)} and ${destination.headers === undefined})`

/** `setWhere`: in which case an existing row is changed. */
function buildSave(
  store: Store,
  instanceId: string,
  destination: Destination,
  secret: SecretChange,
  setWhere: SQL,
): Statement {
  const now = Date.now()
  const chosen = { mode: 'own', ...plainUrl, ...destination, gone: false, updatedAt: now } as const
  // What is inherited belongs to the server and does not become the instance's.
  const ours = sql`mode = 'own' and ${hasSameOrigin(destination.url)}`
  return store.db
    .insert(subscriptions)
    .values({
      id: crypto.randomUUID(),
      instanceId,
      ...chosen,
      ...buildFirstSecret(secret),
      since: now,
      createdAt: now,
    })
    .onConflictDoUpdate({
      target: subscriptions.instanceId,
      set: {
        ...chosen,
        ...(destination.headers === undefined && retainHeaders(ours)),
        ...buildSecretColumns(secret, ours),
        since: sql.raw(columnsOfSameUrl.since),
        lastDeliveredAt: sql.raw(columnsOfSameUrl.lastDeliveredAt),
        failingSince: sql.raw(columnsOfSameUrl.failingSince),
        lastFailure: sql.raw(columnsOfSameUrl.lastFailure),
      },
      setWhere,
    })
}

/** Turns delivery off for the instance, even if there is a global webhook. `also` directly follows the change. */
export async function turnOff(store: Store, instanceId: string, also: Statement[]): Promise<void> {
  const scope = selectOneInstance(instanceId)
  await markMostStrandedDead(store, scope, 'null')
  const now = Date.now()
  const off = {
    mode: 'off' as const,
    ...noDestination,
    headers: null,
    headerNames: null,
    gone: false,
    since: now,
    lastDeliveredAt: 0,
    failingSince: 0,
    lastFailure: null,
    updatedAt: now,
  } satisfies Omit<typeof subscriptions.$inferInsert, 'id' | 'instanceId' | 'createdAt'>
  const save = store.db
    .insert(subscriptions)
    .values({ ...off, instanceId, id: crypto.randomUUID(), createdAt: now })
    .onConflictDoUpdate({ target: subscriptions.instanceId, set: off, setWhere: sql`mode <> 'off'` })
  await store.write([markStrandedDead(scope, now, 'null'), save, ...also])
}

/** A statement for the write that creates the instance. */
export const inheritAtCreation = (instanceId: string) =>
  copyServerWebhook(selectOneInstance(instanceId), Date.now())

/** SQL: the instance has made a choice of its own. */
export const hasOwnChoice = (instanceId: string): Condition => ({
  sql: `exists (select 1 from subscriptions where instance_id = ? and mode <> 'inherited')`,
  args: [instanceId],
})

/** Back to the present global webhook, or to none. `before` precedes the change in its write. */
export async function inheritServerWebhook(
  store: Store,
  instanceId: string,
  before: Statement[],
): Promise<void> {
  const scope = selectOneInstance(instanceId)
  await markMostStrandedDead(store, scope, GLOBAL_URL)
  const now = Date.now()
  await store.write([
    ...before,
    markStrandedDead(scope, now, GLOBAL_URL),
    copyServerWebhook(scope, now),
    // Without a global webhook it has no row, like a new instance.
    deleteCopies(scope),
  ])
}
