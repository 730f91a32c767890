// The groups of an instance's account, as last reported.

import { and, eq, inArray, or, sql } from 'drizzle-orm'
import { groups } from '../../shared/db/host-tables.ts'
import type { Statement } from '../../shared/db/prepared-queries.ts'
import type { NetworkGroup } from '../driver/driver.ts'
import type { Store } from './host-store.ts'

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

/** A page of them, in the order of their ids. */
export async function listGroups(
  store: Store,
  instance: string,
  after: string,
  max: number,
): Promise<NetworkGroup[]> {
  const rows = await store.db
    .select({ group: groups.group })
    .from(groups)
    .where(and(eq(groups.instance, instance), sql`${groups.jid} > ${after}`))
    .orderBy(groups.jid)
    .limit(max)
  return rows.map(({ group }) => group as NetworkGroup)
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
  { db }: Store,
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
