// Pairs of ids that are stored with contacts, chats and members of groups.

import { chats, groups } from '@msgnet/shared/db/host-tables.ts'
import { contacts } from '@msgnet/shared/db/setting-tables.ts'
import { PERSON_SUFFIX } from '@msgnet/shared/jid.ts'
import { and, eq, inArray, ne, or, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Store } from './host-store.ts'

interface Pair {
  pn: string
  lid: string
  source: 'contacts' | 'chats' | 'groups'
}

const selectPairs = (
  { db }: Store,
  instance: string,
  ids: string[],
  table: typeof chats | typeof contacts,
  [pn, lid]: [SQLiteColumn, SQLiteColumn],
) =>
  db
    .select({ pn: sql<string>`${pn}`, lid: sql<string>`${lid}` })
    .from(table)
    .where(and(eq(table.instance, instance), ne(lid, ''), or(inArray(pn, ids), inArray(lid, ids))))

/** Pairs with one of `ids`, as they are stored with contacts and chats. */
export const findStoredPairs = async (store: Store, instance: string, ids: string[]) =>
  ids.length === 0
    ? []
    : [
        ...(await selectPairs(store, instance, ids, contacts, [contacts.jid, contacts.lid])),
        ...(await selectPairs(store, instance, ids, chats, [chats.chatid, chats.chatlid])),
      ]

/** The pair for each of `ids` whose forms are stored together; contacts first, then chats, then groups. */
export async function findOtherForms(
  store: Store,
  instance: string,
  ids: string[],
): Promise<Map<string, Pair>> {
  const found = new Map<string, Pair>()
  if (ids.length === 0) return found
  const addPairs = (source: Pair['source'], rows: { pn: string; lid: string }[]) => {
    for (const { pn, lid } of rows) {
      if (!pn.endsWith(PERSON_SUFFIX) || !lid.endsWith('@lid')) continue
      for (const id of [pn, lid]) if (ids.includes(id)) found.set(id, { pn, lid, source })
    }
  }
  const members = await store.db
    .select({
      pn: sql<string>`json_extract(member.value, '$.pn')`,
      lid: sql<string>`json_extract(member.value, '$.lid')`,
    })
    .from(sql`${groups}, json_each(${groups.group}, '$.members') as member`)
    .where(
      and(
        eq(groups.instance, instance),
        or(
          inArray(sql`json_extract(member.value, '$.pn')`, ids),
          inArray(sql`json_extract(member.value, '$.lid')`, ids),
        ),
      ),
    )
  addPairs('groups', members)
  addPairs('chats', await selectPairs(store, instance, ids, chats, [chats.chatid, chats.chatlid]))
  addPairs('contacts', await selectPairs(store, instance, ids, contacts, [contacts.jid, contacts.lid]))
  return found
}
