// Pairs of ids that are stored with contacts, chats and members of groups.

import { and, eq, inArray, ne, or, sql } from 'drizzle-orm'
import { chats, contacts, groups } from '../../shared/db/host-tables.ts'
import { PERSON_SUFFIX } from '../../shared/jid.ts'
import type { Store } from './store.ts'

interface Pair {
  pn: string
  lid: string
  source: 'contacts' | 'chats' | 'groups'
}

/** By each of `ids` for which both forms are stored together; the address book before chats before groups. */
export async function otherForms({ db }: Store, instance: string, ids: string[]): Promise<Map<string, Pair>> {
  const found = new Map<string, Pair>()
  if (ids.length === 0) return found
  const keep = (source: Pair['source'], rows: { pn: string; lid: string }[]) => {
    for (const { pn, lid } of rows) {
      if (!pn.endsWith(PERSON_SUFFIX) || !lid.endsWith('@lid')) continue
      for (const id of [pn, lid]) if (ids.includes(id)) found.set(id, { pn, lid, source })
    }
  }
  const members = await db
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
  keep('groups', members)
  const written = await db
    .select({ pn: chats.chatid, lid: chats.chatlid })
    .from(chats)
    .where(
      and(
        eq(chats.instance, instance),
        ne(chats.chatlid, ''),
        or(inArray(chats.chatid, ids), inArray(chats.chatlid, ids)),
      ),
    )
  keep('chats', written)
  const saved = await db
    .select({ pn: contacts.jid, lid: contacts.lid })
    .from(contacts)
    .where(
      and(
        eq(contacts.instance, instance),
        ne(contacts.lid, ''),
        or(inArray(contacts.jid, ids), inArray(contacts.lid, ids)),
      ),
    )
  keep('contacts', saved)
  return found
}
