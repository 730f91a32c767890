// What is stored of people: both ids, and their name, for messages that name them by one id.

import type { Row, Store } from './host-store.ts'

export interface StoredPerson {
  pn: string
  lid: string
  /** Empty if none is stored. */
  name: string
}

const MEMBERS = `SELECT member.value ->> '$.pn' AS pn, member.value ->> '$.lid' AS lid, member.value ->> '$.name' AS name
  FROM groups, json_each(groups."group", '$.members') AS member
  WHERE groups.instance = ?1 AND groups.jid = ?2
  AND (member.value ->> '$.pn' IN (SELECT value FROM json_each(?3)) OR member.value ->> '$.lid' IN (SELECT value FROM json_each(?3)))`
const ALL_MEMBERS = `SELECT member.value ->> '$.pn' AS pn, member.value ->> '$.lid' AS lid
  FROM groups, json_each(groups."group", '$.members') AS member WHERE groups.instance = ?1 AND groups.jid = ?2`
const PAIRS = `SELECT jid AS pn, lid, name FROM contacts
    WHERE instance = ?1 AND lid IN (SELECT value FROM json_each(?2))
  UNION ALL SELECT chatid, chatlid, '' FROM chats
    WHERE instance = ?1 AND is_group = 0 AND chatid <> chatlid AND chatlid IN (SELECT value FROM json_each(?2))`
/** By ids of either form; the address book comes first, then the name that the person chose, then that of the history. */
const NAMES = `SELECT jid AS id, name, 1 AS place FROM contacts WHERE instance = ?1 AND jid IN (SELECT value FROM json_each(?2))
  UNION ALL SELECT chatid, name, 2 FROM chats WHERE instance = ?1 AND chatid IN (SELECT value FROM json_each(?2))
  UNION ALL SELECT id, name, 3 FROM known_names WHERE instance = ?1 AND id IN (SELECT value FROM json_each(?2))
  ORDER BY place`

type Reader = Pick<Store, 'rows'>

const toPerson = ({ pn, lid, name }: Row): StoredPerson => ({
  pn: String(pn ?? ''),
  lid: String(lid ?? ''),
  name: String(name ?? ''),
})

/** The members of a group who have one of these ids. */
export const findMembers = async (store: Reader, instance: string, group: string, ids: string[]) =>
  (await store.rows(MEMBERS, instance, group, JSON.stringify(ids))).map(toPerson)

/** All members of a group, without names, as the group has them. */
export const listMembers = async (store: Reader, instance: string, group: string) =>
  (await store.rows(ALL_MEMBERS, instance, group)).map(toPerson)

/** The people with these `@lid`s whose numbers are stored. */
export const findByLid = async (store: Reader, instance: string, lids: string[]) =>
  (await store.rows(PAIRS, instance, JSON.stringify(lids))).map(toPerson)

/** The names of people by these ids; the best one of each. */
export async function findNames(
  store: Reader,
  instance: string,
  ids: string[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (const { id, name } of await store.rows(NAMES, instance, JSON.stringify(ids)))
    if (name && !names.has(String(id))) names.set(String(id), String(name))
  return names
}
