// The usernames of people, under each id of theirs that is known.

import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { usernames } from '@msgnet/shared/db/setting-tables.ts'
import { and, eq, inArray, ne, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { Person } from '../driver/driver.ts'
import { type Store, statement } from './host-store.ts'

/** All ids of a person that are known. */
export const listJidForms = ({ id, pn, lid }: Person): string[] => [...new Set([id, pn, lid])].filter(Boolean)

/** Of an instance, more than a phone has. */
const MAX_ROWS = 200_000

const ADD = `INSERT INTO usernames (instance, id, username)
  SELECT ?1, value ->> '$.id', value ->> '$.username' FROM json_each(?2)
  WHERE (SELECT count(*) FROM usernames WHERE instance = ?1) < ${MAX_ROWS}
  ON CONFLICT DO UPDATE SET username = excluded.username`

/** Of those people whose username is known, an empty one too. */
export function storeUsernames(instance: string, people: Person[]): Statement {
  const rows = people.flatMap((person) =>
    person.username === undefined
      ? []
      : listJidForms(person).map((id) => ({ id, username: person.username })),
  )
  return statement(ADD, instance, JSON.stringify(rows))
}

export async function hasUsernames(store: Store, instance: string): Promise<boolean> {
  return (await store.rows('SELECT 1 FROM usernames WHERE instance = ? LIMIT 1', instance)).length > 0
}

/** By id. */
export async function findUsernames(
  { db }: Store,
  instance: string,
  ids: string[],
): Promise<Map<string, string>> {
  const { id, username } = usernames
  const rows = await db
    .select({ id, username })
    .from(usernames)
    .where(and(eq(usernames.instance, instance), inArray(id, ids), ne(username, '')))
  return new Map(rows.map((row) => [row.id, row.username]))
}

/** Within a query: the username of the person with one of these ids; null if it is not known. */
export const selectUsername = (
  instance: SQLWrapper | string,
  ...ids: SQLWrapper[]
): SQL<string | null> => sql<string | null>`(select named.username from usernames as named
  where named.instance = ${instance} and named.id in (${sql.join(ids, sql`, `)}) and named.username <> '' limit 1)`
