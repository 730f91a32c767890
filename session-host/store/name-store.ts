// The names that the phone's history has for people: their chats have these names until they write.

import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { KnownName } from '../driver/driver.ts'
import { statement } from './host-store.ts'

/** Of an instance, more than a phone has. */
const MAX_NAMES = 100_000
/** Of one commit: every other session of the process waits meanwhile. */
const COMMIT_NAMES = 500

const ADD = `INSERT INTO known_names (instance, id, name)
  SELECT ?1, value ->> '$.id', value ->> '$.name' FROM json_each(?2)
  WHERE (SELECT count(*) FROM known_names WHERE instance = ?1) < ${MAX_NAMES}
  ON CONFLICT DO UPDATE SET name = excluded.name`
const NAME_CHATS = `UPDATE chats SET name = coalesce(
    (SELECT name FROM known_names WHERE instance = ?1 AND id IN (chats.chatid, nullif(chats.chatlid, ''))), '')
  WHERE instance = ?1 AND name = '' AND is_group = 0
  AND (chatid IN (SELECT value ->> '$.id' FROM json_each(?2)) OR chatlid IN (SELECT value ->> '$.id' FROM json_each(?2)))`

/** The statements of each commit. */
export function buildNameStatements(instance: string, names: KnownName[]): Statement[][] {
  const commits: Statement[][] = []
  for (let at = 0; at < names.length; at += COMMIT_NAMES) {
    const some = names
      .slice(at, at + COMMIT_NAMES)
      .map(({ person: { id, pn }, name }) => ({ id: pn || id, name }))
    const list = JSON.stringify(some)
    commits.push([statement(ADD, instance, list), statement(NAME_CHATS, instance, list)])
  }
  return commits
}
