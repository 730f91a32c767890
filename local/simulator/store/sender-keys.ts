// The sender keys of phones: their own for each group, who was given them, and those they were given.
import type { DatabaseSync } from 'node:sqlite'
import { integer, text } from './database.ts'

export function senderKeyTable(database: DatabaseSync) {
  const load = database.prepare('select record from sender_keys where number = ? and chat = ? and peer = ?')
  const save = database.prepare('insert or replace into sender_keys values (?, ?, ?, ?)')
  const given = database.prepare(
    'select count(*) as n from sender_keys_given where number = ? and chat = ? and peer = ?',
  )
  const give = database.prepare('insert or ignore into sender_keys_given values (?, ?, ?)')
  const renew = [
    "delete from sender_keys where chat = ?1 and peer = number || '.0'",
    'delete from sender_keys_given where chat = ?1',
  ].map((statement) => database.prepare(statement))
  const forget = ['sender_keys', 'sender_keys_given'].map((table) =>
    database.prepare(`delete from ${table} where number = ? and chat = ?`),
  )

  return {
    /** `peer` is `number.device` of whose key it is; the phone's own is its number's device 0. */
    load(number: string, chat: string, peer: string): string | undefined {
      const row = load.get(number, chat, peer)
      return row && text(row, 'record')
    },
    save(number: string, chat: string, peer: string, record: string) {
      save.run(number, chat, peer, record)
    },
    /** Whether that device has the phone's own key. */
    isGiven(number: string, chat: string, peer: string): boolean {
      return integer(given.get(number, chat, peer) ?? {}, 'n') > 0
    },
    give(number: string, chat: string, peer: string) {
      give.run(number, chat, peer)
    },
    /** Somebody left: what the phones send from now on is not for him, so that they make new keys. */
    renew(chat: string) {
      for (const statement of renew) statement.run(chat)
    },
    /** A phone that is not in the group any more keeps nothing of it. */
    forget(number: string, chat: string) {
      for (const statement of forget) statement.run(number, chat)
    },
  }
}
