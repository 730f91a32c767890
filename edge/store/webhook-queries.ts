// Queries for the webhooks of an instance: add, change, remove, list with their health.

import { limits } from '@msgnet/shared/contract/limits.ts'
import { webhooks } from '@msgnet/shared/db/edge-tables.ts'
import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type { WebhookRow } from '../objects/due-events.ts'
import type { Condition } from './audit-queries.ts'
import { writeInBatches } from './database/batches.ts'
import type { Store } from './database/open-store.ts'
import { DEAD, DUE_AT, PENDING } from './events/lane-sql.ts'
import {
  buildFirstSecret,
  buildSecretColumns,
  hasSameOrigin,
  keepsSecrets,
  retainHeaders,
  type SecretChange,
} from './secret-change.ts'
import { dropUnwanted, selectOtherDestination, strandMost, strandWaiting } from './strand-waiting.ts'
import { buildLaneColumns, selectOneInstance, selectStranded } from './webhook-inheritance.ts'

/** The counts in `deliveryStatus` that are not columns of the row. */
export interface Backlog {
  pending: number
  dead: number
  /** When the next waiting event is due, or has been due since; 0 if none waits. */
  dueAt: number
}

export const backlogColumns = {
  pending: sql.raw(PENDING) as SQL<number>,
  dead: sql.raw(DEAD) as SQL<number>,
  dueAt: sql.raw(DUE_AT) as SQL<number>,
}

/** The health of a destination. */
export type WebhookHealthRow = Backlog &
  Pick<WebhookRow, 'mode' | 'enabled' | 'gone' | 'lastDeliveredAt' | 'failingSince' | 'lastFailure'>

/** A webhook with what waits for it. */
export type ListedWebhook = WebhookRow & Backlog

const LIST = prepareQuery((db) =>
  db
    .select({ row: webhooks, ...backlogColumns })
    .from(webhooks)
    .where(eq(webhooks.instanceId, sql.placeholder('instanceId')))
    .orderBy(sql`${webhooks.position} > 0`, asc(webhooks.createdAt)),
)
const FIND_FIRST = prepareQuery((db) =>
  db
    .select({ row: webhooks, ...backlogColumns })
    .from(webhooks)
    .where(and(eq(webhooks.instanceId, sql.placeholder('instanceId')), eq(webhooks.position, 0))),
)

const addBacklog = ({ row, ...backlog }: { row: WebhookRow } & Backlog): ListedWebhook => ({
  ...row,
  ...backlog,
})

/** The first, and then the others by age. Those that deliver nothing are left out. */
export async function listWebhooks(store: Store, instanceId: string): Promise<ListedWebhook[]> {
  const found = await store.read(LIST, { instanceId })
  return found.map(addBacklog).filter(({ mode }) => mode === 'own' || mode === 'inherited')
}

export const findWebhook = async (
  store: Store,
  instanceId: string,
  id: string,
): Promise<ListedWebhook | undefined> =>
  (await listWebhooks(store, instanceId)).find((webhook) => webhook.id === id)

/** The one that `/webhook` shows. Undefined without a choice of the instance if there is no global webhook. */
export async function findFirstWebhook(store: Store, instanceId: string): Promise<ListedWebhook | undefined> {
  const [found] = await store.read(FIND_FIRST, { instanceId })
  return found && found.row.mode !== 'none' ? addBacklog(found) : undefined
}

const SELECT_LANE = `select lane from webhooks where instance_id = ?1 and iif(?2 = '', position = 0,
  id = ?2 and mode in ('own', 'inherited'))`

/** Without an id, of the first, also while it delivers nothing. */
export async function findLane(store: Store, instanceId: string, id = ''): Promise<number | undefined> {
  const [found] = await store.readAll({ sql: SELECT_LANE, args: [instanceId, id] })
  const [row] = found?.rows ?? []
  return row && Number(row[0])
}

export type Destination = Pick<
  WebhookRow,
  'url' | 'events' | 'ignoredEvents' | 'excludeMessages' | 'enabled'
> &
  Partial<typeof plainUrl & Pick<WebhookRow, 'format'>> &
  // What is left out stays: headers while the origin is the same, chats and options of the format while it is the instance's own.
  Partial<Pick<WebhookRow, 'headers' | 'headerNames' | 'chats' | 'formatOptions'>>

/** Those of a save that names the present ones. */
interface SentHeaders {
  sentHeaders?: Pick<WebhookRow, 'headers' | 'headerNames'>
}

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
  format: '' as const,
  ...plainUrl,
  secret: null,
  previousSecret: null,
  previousSecretUntil: 0,
}

/** SQL of a save: whether the existing row has all these values already. */
export const sameDestination = sql`url = excluded.url and events = excluded.events
  and ignored_events = excluded.ignored_events and exclude_messages is excluded.exclude_messages
  and enabled = excluded.enabled and format = excluded.format and add_url_events = excluded.add_url_events and add_url_types = excluded.add_url_types`

const selectLastSeq = (instanceId: string) =>
  sql<number>`(select last_seq from instances where id = ${instanceId})`

/**
 * Saves the first webhook as the instance's own, and the statements `also`, which directly follow the change. Another
 * URL or format gets only events from now on. A save that changes nothing is not written.
 */
export async function saveFirstWebhook(
  store: Store,
  instanceId: string,
  destination: Destination & SentHeaders,
  secret: SecretChange,
  also: Statement[],
): Promise<void> {
  const scope = selectOneInstance(instanceId)
  const { url, format = '', formatOptions } = destination
  const stranded =
    formatOptions === undefined
      ? selectStranded(scope, '(?, ?, webhooks.format_options)', [url, format])
      : selectStranded(scope, '(?, ?, ?)', [url, format, formatOptions && JSON.stringify(formatOptions)])
  await strandMost(store, stranded)
  // Not before those died, which do not count for the new URL.
  const now = Date.now()
  const save = buildSave(store, instanceId, destination, secret, isChangedBy(secret, destination))
  await store.write([...strandWaiting(stranded, now), save, ...also])
  await dropUnwanted(store, 0, { condition: 'webhooks.instance_id = ?', args: [instanceId] })
}

/** The same if delivery is off or has never been set, when no event waits. Returns false if it is not. */
export async function addFirstWebhook(
  store: Store,
  instanceId: string,
  destination: Destination,
  secret: SecretChange,
  also: Statement[],
): Promise<boolean> {
  const save = buildSave(store, instanceId, destination, secret, sql`mode in ('off', 'none')`)
  const [saved] = await store.write([save, ...also])
  return saved?.rowsAffected === 1
}

/** The same within the write that creates the instance. */
export const buildFirstWebhook = (store: Store, instanceId: string, destination: Destination): Statement =>
  buildSave(store, instanceId, destination, { kind: 'keep' }, sql`true`)

const isChangedBy = (secret: SecretChange, { headers, chats, formatOptions }: Destination) =>
  sql`not (mode = 'own' and not gone and ${sameDestination} and ${keepsSecrets(secret)} and ${headers === undefined}
    and ${chats === undefined ? sql`true` : sql`chats is excluded.chats`}
    and ${formatOptions === undefined ? sql`true` : sql`format_options is excluded.format_options`})`

/** `setWhere`: in which case an existing row is changed. */
function buildSave(
  store: Store,
  instanceId: string,
  { sentHeaders, ...destination }: Destination & SentHeaders,
  secret: SecretChange,
  setWhere: SQL,
): Statement {
  const now = Date.now()
  const chosen = {
    mode: 'own',
    format: '',
    ...plainUrl,
    ...destination,
    gone: false,
    updatedAt: now,
  } as const
  // What is inherited belongs to the server and does not become the instance's.
  const ours = sql`mode = 'own' and ${hasSameOrigin(destination.url)}`
  const lane = buildLaneColumns({ keepsOptions: destination.formatOptions === undefined })
  return store.db
    .insert(webhooks)
    .values({
      id: crypto.randomUUID(),
      instanceId,
      position: 0,
      ...chosen,
      ...buildFirstSecret(secret),
      cursor: selectLastSeq(instanceId),
      since: now,
      createdAt: now,
    })
    .onConflictDoUpdate({
      target: [webhooks.instanceId, webhooks.position],
      set: {
        ...chosen,
        ...(destination.headers === undefined && retainHeaders(ours, sentHeaders)),
        ...(destination.chats === undefined && { chats: sql`case when mode = 'own' then chats end` }),
        ...(destination.formatOptions === undefined && {
          formatOptions: sql`case when mode = 'own' then format_options end`,
        }),
        ...buildSecretColumns(secret, ours),
        cursor: sql.raw(lane.cursor),
        since: sql.raw(lane.since),
        lastDeliveredAt: sql.raw(lane.lastDeliveredAt),
        failingSince: sql.raw(lane.failingSince),
        lastFailure: sql.raw(lane.lastFailure),
        reportedTrouble: sql.raw(lane.reportedTrouble),
        gaveUpAt: sql.raw(lane.gaveUpAt),
      },
      setWhere,
    })
}

/** Of a destination that was not tried yet. */
const noHealth = {
  lastDeliveredAt: 0,
  failingSince: 0,
  lastFailure: null,
  reportedTrouble: '' as const,
  gaveUpAt: 0,
}

/** Turns the first webhook off, even if there is a global one. `also` directly follows the change. */
export async function turnOffFirst(store: Store, instanceId: string, also: Statement[]): Promise<void> {
  const stranded = selectStranded(selectOneInstance(instanceId), '(null, null, null)')
  await strandMost(store, stranded)
  const now = Date.now()
  const off = {
    mode: 'off' as const,
    ...noDestination,
    headers: null,
    headerNames: null,
    chats: null,
    formatOptions: null,
    gone: false,
    cursor: selectLastSeq(instanceId),
    since: now,
    ...noHealth,
    updatedAt: now,
  }
  const save = store.db
    .insert(webhooks)
    .values({ ...off, instanceId, position: 0, id: crypto.randomUUID(), createdAt: now })
    .onConflictDoUpdate({
      target: [webhooks.instanceId, webhooks.position],
      set: off,
      setWhere: sql`mode <> 'off'`,
    })
  await store.write([...strandWaiting(stranded, now), save, ...also])
}

/** SQL: the instance has made a choice of its own. */
export const hasOwnChoice = (instanceId: string): Condition => ({
  sql: `exists (select 1 from webhooks where instance_id = ? and position = 0 and mode in ('own', 'off'))`,
  args: [instanceId],
})

type NewWebhook = Omit<typeof webhooks.$inferInsert, 'cursor' | 'position' | 'lane' | 'mode'>

/** The positions beside the first. */
const POSITIONS = JSON.stringify(Array.from({ length: limits.maxWebhooks - 1 }, (_, n) => n + 1))

/**
 * Begins after the newest event, at a free position beside the first. Fails as `isFull` knows it if there is none, or if the instance has one
 * of its own with this URL (and format) and it is to be `unique`.
 */
export function insertWebhook(
  store: Store,
  webhook: NewWebhook,
  { unique }: { unique?: 'url' | 'url and format' | undefined } = {},
): Statement {
  const { instanceId, url, format = '' } = webhook
  const sameFormat = unique === 'url' ? sql`` : sql`and format = ${format}`
  const sameUrl = sql` and not exists (select 1 from webhooks where instance_id = ${instanceId} and url = ${url} and mode = 'own' ${sameFormat})`
  // Without a place for it the position is null, which the column may not be.
  const position = sql<number>`(select min(free.value) from json_each(${POSITIONS}) free where free.value not in (
    select position from webhooks where instance_id = ${instanceId})${unique ? sameUrl : sql``})`
  return store.db
    .insert(webhooks)
    .values({ ...webhook, mode: 'own', position, cursor: selectLastSeq(instanceId) })
}

/** The error of a write says that the instance has as many webhooks as it may have. */
export const isFull = (error: unknown): boolean =>
  error instanceof Error &&
  (/NOT NULL constraint failed: webhooks\.position/i.test(error.message) || isFull(error.cause))

/** Of a change that must be one write. `also` directly follows the change. */
export interface WebhookEdit {
  settings: Partial<Destination>
  secret: SecretChange
  also: Statement[]
}

/**
 * With another URL, format or options the webhook gets only events from now on; what waited for the previous destination is dead. Another
 * choice of events applies to waiting and future events, and does not bring back what was passed over. Returns false, and changes
 * nothing, if the webhook has changed since it was read: a secret must not reach another receiver.
 */
export async function changeWebhook(
  store: Store,
  webhook: WebhookRow,
  { settings, secret, also }: WebhookEdit,
): Promise<boolean> {
  const { lane, instanceId, position } = webhook
  const { url, format, formatOptions } = { ...webhook, ...settings }
  const isOther =
    url !== webhook.url ||
    format !== webhook.format ||
    JSON.stringify(formatOptions) !== JSON.stringify(webhook.formatOptions)
  const stranded = selectOtherDestination(lane, { url, format, formatOptions })
  if (isOther) await strandMost(store, stranded)
  // Not before those died, which do not count for the new URL.
  const now = Date.now()
  const ours = settings.url === undefined ? sql`true` : hasSameOrigin(settings.url)
  const isSame = and(eq(webhooks.lane, lane), eq(webhooks.url, webhook.url), eq(webhooks.mode, 'own'))
  const update = store.db
    .update(webhooks)
    .set({
      ...retainHeaders(ours),
      ...settings,
      ...buildSecretColumns(secret, ours),
      gone: false,
      updatedAt: now,
      // Nothing is tried during a pause, which is no failure.
      ...(settings.enabled && { failingSince: sql`iif(enabled, failing_since, 0)` }),
      ...(isOther && {
        cursor: selectLastSeq(instanceId),
        since: now,
        ...noHealth,
      }),
    })
    .where(isSame)
  const before = isOther ? strandWaiting(stranded, now) : []
  const results = await store.write([...before, update, ...also])
  if (results[before.length]?.rowsAffected !== 1) return false
  await dropUnwanted(store, position, { condition: 'webhooks.lane = ?', args: [lane] })
  return true
}

/** Its deliveries go before it, in batches. `also` directly follows the change. */
export async function deleteWebhook(store: Store, { lane }: WebhookRow, also: Statement[]): Promise<void> {
  const some = `delete from deliveries where (lane, seq) in (select lane, seq from deliveries where lane = ? limit ?)`
  // What waits would be sent again to one that is only deleted in part.
  await store.write([{ sql: 'update webhooks set enabled = false where lane = ?', args: [lane] }])
  await writeInBatches(store, async (atMost) => {
    const [deleted] = await store.write([{ sql: some, args: [lane, atMost] }])
    return deleted?.rowsAffected ?? 0
  })
  await store.write([store.db.delete(webhooks).where(eq(webhooks.lane, lane)), ...also])
}
