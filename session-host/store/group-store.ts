// The groups of an instance's account, as last reported.

import { groups } from '@msgnet/shared/db/host-tables.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { MAX_RESULT_CHARACTERS } from '@msgnet/shared/wire/session-actions.ts'
import { and, eq, gt, inArray, or, sql } from 'drizzle-orm'
import type { NetworkGroup } from '../driver/driver.ts'
import type { StoreReader } from './heavy-reads.ts'
import type { Store } from './host-store.ts'
import { countPageRows, readByteLength } from './page-bytes.ts'

/** This row means that the network has listed all groups of the instance: a group that is not stored does not exist. */
const ALL = ''

const matchGroup = (instance: string, jid: string) => and(eq(groups.instance, instance), eq(groups.jid, jid))

export async function findGroup(
  store: Store,
  instance: string,
  jid: string,
): Promise<NetworkGroup | undefined> {
  const [row] = await store.db.select({ group: groups.group }).from(groups).where(matchGroup(instance, jid))
  return row && (row.group as NetworkGroup)
}

interface GroupPage {
  instance: string
  after: string
  max: number
}

interface FoundGroups {
  /** `size`: how many members it has, where not all of them are here. */
  found: { group: NetworkGroup; size?: number }[]
  hasMore: boolean
}

/** A page of them, in the order of their ids: fewer than `max` where they are large. */
export async function listGroups(reader: StoreReader, page: GroupPage): Promise<FoundGroups> {
  const { instance, after, max } = page
  const where = and(eq(groups.instance, instance), gt(groups.jid, after))
  const sizes = await reader.db
    .select({ jid: groups.jid, size: readByteLength(groups.group) })
    .from(groups)
    .where(where)
    .orderBy(groups.jid)
    .limit(max + 1)
  const count = Math.min(max, countPageRows(sizes, MAX_RESULT_CHARACTERS))
  const rows = await reader.db
    .select({ group: groups.group })
    .from(groups)
    .where(where)
    .orderBy(groups.jid)
    .limit(count)
  return {
    found: rows.map(({ group }) => ({ group: group as NetworkGroup })),
    hasMore: rows.length < sizes.length,
  }
}

/** The same with their owners and members of these ids only: there may be a thousand others in each. */
export async function listGroupHeads(
  { db }: StoreReader,
  { instance, after, max }: GroupPage,
  ids: string[],
): Promise<FoundGroups> {
  const member = (field: string) => sql`json_extract(member.value, ${`$.${field}`})`
  const owner = (field: string) => sql`json_extract(${groups.group}, ${`$.owner.${field}`})`
  const shown = sql.join([...ids.map((id) => sql`${id}`), owner('id'), owner('pn'), owner('lid')], sql`, `)
  const isShown = (field: string) => sql`(${member(field)} <> '' and ${member(field)} in (${shown}))`
  const members = sql`from json_each(${groups.group}, '$.members') as member where`
  const rows = await db
    .select({
      group: sql<string>`json_set(${groups.group}, '$.members', json((select json_group_array(json(member.value))
        ${members} ${isShown('id')} or ${isShown('pn')} or ${isShown('lid')})))`,
      size: sql<number>`(select count(*) ${members} ${member('error')} = 0)`,
    })
    .from(groups)
    .where(and(eq(groups.instance, instance), gt(groups.jid, after)))
    .orderBy(groups.jid)
    .limit(max + 1)
  const found = rows
    .slice(0, max)
    .map(({ group, size }) => ({ group: JSON.parse(group) as NetworkGroup, size }))
  return { found, hasMore: rows.length > max }
}

export async function readGroupNames(store: Store, instance: string): Promise<Map<string, string>> {
  const rows = await store.db
    .select({ jid: groups.jid, subject: groups.subject })
    .from(groups)
    .where(eq(groups.instance, instance))
  return new Map(rows.filter(({ jid }) => jid !== ALL).map(({ jid, subject }) => [jid, subject]))
}

/** The groups with a member of one of these ids. */
export function listGroupsWith(
  { db }: StoreReader,
  instance: string,
  ids: string[],
): Promise<{ jid: string; subject: string }[]> {
  const member = sql`exists (select 1 from json_each(${groups.group}, '$.members') as member
    where ${or(
      ...['id', 'pn', 'lid'].map((field) => inArray(sql`json_extract(member.value, ${`$.${field}`})`, ids)),
    )})`
  return db
    .select({ jid: groups.jid, subject: groups.subject })
    .from(groups)
    .where(and(eq(groups.instance, instance), member))
    .orderBy(groups.jid)
}

export async function isListComplete(store: Store, instance: string): Promise<boolean> {
  const found = await store.db.select({ jid: groups.jid }).from(groups).where(matchGroup(instance, ALL))
  return found.length > 0
}

export const storeGroup = (store: Store, instance: string, group: NetworkGroup): Statement => {
  const row = { instance, jid: group.jid, subject: group.subject, group, askedAt: Date.now() }
  return store.db
    .insert(groups)
    .values(row)
    .onConflictDoUpdate({ target: [groups.instance, groups.jid], set: row })
}

export const deleteGroup = (store: Store, instance: string, jid: string): Statement =>
  store.db.delete(groups).where(matchGroup(instance, jid))

export const deleteGroups = (store: Store, instance: string): Statement =>
  store.db.delete(groups).where(eq(groups.instance, instance))

/** Replaces all stored groups. */
export const replaceGroups = (store: Store, instance: string, all: NetworkGroup[]): Statement[] => [
  deleteGroups(store, instance),
  ...all.map((group) => storeGroup(store, instance, group)),
  store.db.insert(groups).values({ instance, jid: ALL, subject: '', group: {}, askedAt: Date.now() }),
]
