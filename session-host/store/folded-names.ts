// Names as a search compares them, without accents and case: kept beside the names of chats and contacts, and searched there.

import { chats } from '@msgnet/shared/db/host-tables.ts'
import { contacts, usernames } from '@msgnet/shared/db/setting-tables.ts'
import { PERSON_SUFFIX } from '@msgnet/shared/jid.ts'
import { foldText, isPartOfNumber, listSpellings, splitSearch } from '@msgnet/shared/search-text.ts'
import { and, or, type SQL, sql } from 'drizzle-orm'
import { type Store, statement } from './host-store.ts'

/** Of one commit: every other session of the process waits meanwhile. */
const MAX_FOLDED = 200

/** Names are read as their bytes: of a text the library reads what is before a NUL, and such a name would never be found again. */
const tables = ['chats', 'contacts'].map((table) => ({
  pending: `SELECT rowid AS stored, hex(name) AS bytes FROM ${table} WHERE instance = ? AND folded IS NULL LIMIT ${MAX_FOLDED}`,
  // A name that has changed meanwhile is folded with the next batch.
  fold: `UPDATE ${table} SET folded = ? WHERE rowid = ? AND hex(name) = ?`,
}))

/** In the database a NUL ends a text. */
const foldBytes = (bytes: string): string =>
  foldText(Buffer.from(bytes, 'hex').toString().replaceAll('\0', ' '))

/**
 * Folds the names that are new since the last search. The database cannot do it, and most names are never searched: a message
 * costs nothing more, and a trigger marks a name that has changed, whatever wrote it.
 */
export async function foldNewNames(store: Store, instance: string): Promise<void> {
  for (const { pending, fold } of tables) {
    for (;;) {
      const rows = await store.rows(pending, instance)
      if (rows.length === 0) break
      const names = rows.map((row) => ({ stored: Number(row.stored), bytes: String(row.bytes) }))
      await store.commitFor(
        instance,
        names.map(({ stored, bytes }) => statement(fold, foldBytes(bytes), stored, bytes)),
      )
    }
  }
}

/** A name that is not folded, because the store could not be written, is compared as well as the database can. */
const CHAT_NAME = sql`coalesce(${chats.folded}, lower(${chats.name}))`
const CONTACT_NAME = sql`coalesce(${contacts.folded}, lower(${contacts.name}))`

/** A part of the contact's name, which a chat without a contact has not. */
export const matchContactPart = (part: string): SQL =>
  sql`instr(coalesce(${CONTACT_NAME}, ''), ${foldText(part)}) > 0`

/** A part of the name that is shown: that of the contact, or else that of the chat. */
export const matchNamePart = (part: string): SQL =>
  sql`instr(iif(coalesce(${contacts.name}, '') = '', ${CHAT_NAME}, ${CONTACT_NAME}), ${foldText(part)}) > 0`

/** All words of the search are in the names of a chat, or are parts of its number. */
export const matchSearch = (instance: string, search: string): SQL | undefined =>
  and(
    ...splitSearch(search).map((words) => {
      const inNames = and(...words.map((word) => matchWord(instance, word)))
      return words.every(isPartOfNumber) ? or(...matchNumber(words.join('')), inNames) : inNames
    }),
  )

/** Contacts and usernames are searched once, and not for each chat. */
function matchWord(instance: string, word: string): SQL {
  const inContacts = sql`(select ${contacts.jid} from ${contacts}
    where ${contacts.instance} = ${instance} and instr(${CONTACT_NAME}, ${word}) > 0)`
  const inUsernames = sql`(select named.id from ${usernames} as named
    where named.instance = ${instance} and named.username <> '' and instr('@' || lower(named.username), ${word}) > 0)`
  return sql`(instr(${CHAT_NAME}, ${word}) > 0 or ${chats.chatid} in ${inContacts} or ${chats.chatid} in ${inUsernames}
    or (exists ${inUsernames} and ${chats.chatlid} in ${inUsernames}))`
}

/** The chats of people have their numbers as ids. */
const matchNumber = (typed: string): SQL[] =>
  listSpellings(typed).flatMap((digits) =>
    digits === ''
      ? []
      : [sql`(instr(${chats.chatid}, ${digits}) > 0 and ${chats.chatid} like ${`%${PERSON_SUFFIX}`})`],
  )
