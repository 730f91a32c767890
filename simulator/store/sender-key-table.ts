// The sender keys of phones: their own for each group, the devices that have them, and the keys of other devices.
import type { DatabaseSync } from 'node:sqlite'
import { readInteger, readText } from './network-database.ts'

export function createSenderKeyTable(database: DatabaseSync) {
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
    /** `peer` is the key owner's `number.device`; the phone's own key has device 0. */
    loadKey(number: string, chat: string, peer: string): string | undefined {
      const row = load.get(number, chat, peer)
      return row && readText(row, 'record')
    },
    saveKey(number: string, chat: string, peer: string, record: string) {
      save.run(number, chat, peer, record)
    },
    /** Whether that device has the phone's own key. */
    isShared(number: string, chat: string, peer: string): boolean {
      return readInteger(given.get(number, chat, peer) ?? {}, 'n') > 0
    },
    markShared(number: string, chat: string, peer: string) {
      give.run(number, chat, peer)
    },
    /** A member has left, so the phones make new keys that the former member does not have. */
    deleteOwnKeys(chat: string) {
      for (const statement of renew) statement.run(chat)
    },
    /** Deletes all keys of the group on a phone that is no longer in it. */
    deleteKeys(number: string, chat: string) {
      for (const statement of forget) statement.run(number, chat)
    },
  }
}
