// Queries for instances: create, find, assign to a host, delete.

import type { ActorKind } from '@msgnet/shared/contract/audit-actions.ts'
import type { Pairing } from '@msgnet/shared/contract/instance-requests.ts'
import { hosts, instances } from '@msgnet/shared/db/edge-tables.ts'
import { prepareQuery, type Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { PERSON_SUFFIX } from '@msgnet/shared/jid.ts'
import { foldText } from '@msgnet/shared/search-text.ts'
import { and, eq, getTableColumns, gt, inArray, notExists, type SQL, sql } from 'drizzle-orm'
import type { Bulk } from '../runtime/query-types.ts'
import { GIVEN } from '../runtime/query-types.ts'
import { hasNamedAdminToken } from './admin-token-queries.ts'
import { addBulkForm, DATABASE_NOW, type Store } from './database/open-store.ts'
import {
  hasNamedScopedToken,
  matchesToken,
  matchesTokenName,
  renewToken,
  selectInstanceByToken,
} from './token-validity.ts'

// Only lists read these two: each column costs every request that reads its caller.
const { foldedName: _, previousNumber: __, ...callerColumns } = getTableColumns(instances)

/** `isLeased`: the lease of its host runs, so the session's state in the row is the host's last report. */
export type InstanceRow = Omit<typeof instances.$inferSelect, 'foldedName' | 'previousNumber'> & {
  isLeased: boolean
}

/** With the QR code or pairing code that is shown while a device is being linked. */
export type OpenInstance = Omit<InstanceRow, 'pairing'> & { pairing: Pairing | null }

// A subquery and no join: the database plans the statement for each request, and a join makes that a third more expensive.
const isLeased = sql<boolean>`coalesce((select lease_until from hosts where hosts.id = instances.host_id)
  > ${sql.raw(DATABASE_NOW)}, 0)`.mapWith(Boolean)
export const instanceColumns = { ...callerColumns, isLeased }

const prepareFind = (where: SQL) =>
  prepareQuery((db) => db.select(instanceColumns).from(instances).where(where).limit(1))
export const FIND_BY_TOKEN = prepareFind(matchesToken('instances', sql.placeholder('value')))
const FIND_BY_TOKENS = prepareQuery((db) =>
  db
    .select({ given: sql`given.value`, ...instanceColumns })
    .from(sql`${sql.raw(GIVEN)}`)
    .innerJoin(instances, sql`${instances.id} = ${selectInstanceByToken(sql`given.value`)}`),
)
const FIND_BY_ID = prepareFind(eq(instances.id, sql.placeholder('value')))

const createBulkByToken = (tokenHash: string): Bulk => ({
  sql: FIND_BY_TOKENS.sql,
  item: tokenHash,
  name: tokenHash,
})

/** For a transaction; `readRows(FIND_BY_TOKEN, …)` parses its result. */
export const createQueryByToken = (tokenHash: string) =>
  addBulkForm(FIND_BY_TOKEN.bind({ value: tokenHash }), createBulkByToken(tokenHash))

export async function findInstanceByToken(store: Store, tokenHash: string): Promise<InstanceRow | undefined> {
  return (await store.read(FIND_BY_TOKEN, { value: tokenHash }, createBulkByToken(tokenHash)))[0]
}

export async function findInstanceById(store: Store, id: string): Promise<InstanceRow | undefined> {
  return (await store.read(FIND_BY_ID, { value: id }))[0]
}

/** By its id, its handle, or the digits of its account: the first of these that is one's. */
export const findInstanceIdByName = async (store: Store, name: string): Promise<string | undefined> =>
  (await buildSearchByName(store, name))[0]?.id

export function buildSearchByName(store: Store, name: string) {
  const rank = sql`case when ${instances.id} = ${name.toLowerCase()} then 0 when ${instances.handle} = ${name} then 1 else 2 end`
  // Its index has only those with an account, and is used if the condition says so.
  const isAccount = sql`${instances.jid} <> '' and ${instances.jid} = ${`${name}${PERSON_SUFFIX}`}`
  return store.db
    .select({ id: instances.id })
    .from(instances)
    .where(sql`${instances.id} = ${name.toLowerCase()} or ${instances.handle} = ${name} or (${isAccount})`)
    .orderBy(rank, instances.createdAt)
    .limit(1)
}

/** The instance, and whether a link to one of its files is valid by the token that it was made with. */
export async function findInstanceAndToken(
  store: Store,
  { instance: id, token, credential }: { instance: string; token: string; credential: ActorKind },
): Promise<{ instance: InstanceRow; isTokenValid: boolean } | undefined> {
  const isTokenValid = sql<boolean>`coalesce(${matchesLinkToken[credential](token)}, 0)`.mapWith(Boolean)
  const [row] = await store.db
    .select({ ...instanceColumns, isTokenValid })
    .from(instances)
    .where(eq(instances.id, id))
  if (!row) return undefined
  const { isTokenValid: isValid, ...instance } = row
  return { instance, isTokenValid: isValid }
}

/** The digests of the current tokens, by instance. */
export async function findTokenDigests(store: Store, ids: string[]): Promise<Map<string, string>> {
  const rows = await store.db
    .select({ id: instances.id, tokenHash: instances.tokenHash })
    .from(instances)
    .where(inArray(instances.id, ids))
  return new Map(rows.map(({ id, tokenHash }) => [id, tokenHash]))
}

const matchesLinkToken: Record<ActorKind, (name: string) => SQL> = {
  instance: (name) => matchesTokenName('instances', name),
  token: hasNamedAdminToken,
  scoped: hasNamedScopedToken,
  // Compared when the link is opened: the database does not have this token.
  root: () => sql`1`,
  // Its page shows no files.
  link: () => sql`0`,
}

export type NewInstance = Pick<
  InstanceRow,
  'id' | 'kind' | 'name' | 'companyId' | 'handle' | 'tokenHash' | 'createdAt'
>

/** The error of a write says that another instance has the handle. */
export const isHandleTaken = (error: unknown): boolean =>
  error instanceof Error &&
  (/NOT NULL constraint failed: instances\.name/i.test(error.message) || isHandleTaken(error.cause))

/** The same of its token, which a dialect may let its caller choose. */
export const isTokenTaken = (error: unknown): boolean =>
  error instanceof Error &&
  (/UNIQUE constraint failed: instances\.token_hash/i.test(error.message) || isTokenTaken(error.cause))

/** Fails as `isHandleTaken` knows it if another instance has the handle. */
export function insertInstance(store: Store, made: NewInstance): Statement {
  // Null, which the column may not be, if it is taken.
  const name = sql<string>`iif(exists (select 1 from instances where handle = ${made.handle}), null, ${made.name})`
  return store.db.insert(instances).values({
    ...made,
    ...(made.handle !== null && { name }),
    foldedName: foldText(made.name),
    updatedAt: made.createdAt,
  })
}

/** The previous token stays valid for `overlap` seconds. */
export const replaceInstanceToken = (
  store: Store,
  id: string,
  tokenHash: string,
  overlap: number,
): Statement =>
  store.db
    .update(instances)
    .set({ ...renewToken(instances, tokenHash, overlap), updatedAt: Date.now() })
    .where(eq(instances.id, id))

/** Writes the fields that the owner can set, and the statements `also`. Returns the time of the change. */
export async function changeInstance(
  store: Store,
  id: string,
  change: Partial<Pick<InstanceRow, 'name' | 'delayMin' | 'delayMax'>>,
  also: Statement[],
): Promise<number> {
  const updatedAt = Date.now()
  const update = store.db
    .update(instances)
    .set({ ...change, ...(change.name && { foldedName: foldText(change.name) }), updatedAt })
    .where(eq(instances.id, id))
  await store.write([update, ...also])
  return updatedAt
}

const STORE_PREVIOUS_HOST = `
insert into previous_hosts (instance_id, host_id, epoch)
select id, ?2, ?3 from instances where id = ?1 and host_id = ?4 and epoch = ?3 + 1
on conflict (instance_id, host_id) do update set epoch = excluded.epoch`

/**
 * Assigns the instance to a host under the next epoch. Returns false if another request assigned it since it was read, or
 * if the lease of its present host runs. The state is reset, because `rev` starts again under a new assignment.
 */
export async function assignInstance(store: Store, instance: InstanceRow, hostId: string): Promise<boolean> {
  const unchanged = and(
    eq(instances.id, instance.id),
    eq(instances.hostId, instance.hostId),
    eq(instances.epoch, instance.epoch),
    // Checked in the statement: a host that returns at this moment still has its instances.
    notExists(
      store.db
        .select({ one: sql`1` })
        .from(hosts)
        .where(
          and(eq(hosts.id, instance.hostId), gt(hosts.leaseUntil, sql<number>`${sql.raw(DATABASE_NOW)}`)),
        ),
    ),
  )
  const assignment = { hostId, epoch: instance.epoch + 1, rev: 0, pairing: null, updatedAt: Date.now() }
  // The host's own count arrives with its next heartbeat; until then several placements must not use the same free slot.
  const taken = store.db
    .update(hosts)
    .set({ sessions: sql`${hosts.sessions} + changes()` })
    .where(eq(hosts.id, hostId))
  const previousHost = {
    sql: STORE_PREVIOUS_HOST,
    args: [instance.id, instance.hostId, instance.epoch, hostId],
  }
  const [assigned] = await store.write([
    store.db.update(instances).set(assignment).where(unchanged),
    taken,
    ...(instance.hostId === '' || instance.hostId === hostId ? [] : [previousHost]),
  ])
  return assigned?.rowsAffected === 1
}

/** Deletes expired QR codes and pairing codes. Returns the number of instances. */
export async function purgePairings(store: Store, atMost: number): Promise<number> {
  const ended = sql`id in (select id from instances where pairing is not null and pairing_until <= ${Date.now()} limit ${atMost})`
  const { rowsAffected } = await store.db.update(instances).set({ pairing: null }).where(ended)
  return rowsAffected
}
