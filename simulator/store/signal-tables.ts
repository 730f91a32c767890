// What phones store for Signal: their sessions with companions, and the sender keys of groups.
import type { DatabaseSync } from 'node:sqlite'
import { readInteger, readText } from './network-database.ts'

export function createSessionTable(database: DatabaseSync) {
  const load = database.prepare('select record from sessions where number = ? and peer = ?')
  const save = database.prepare('insert or replace into sessions values (?, ?, ?)')
  const list = database.prepare('select peer from sessions where number = ?')
  const deleteAll = database.prepare('delete from sessions where number = ?')
  return {
    /** `peer` is `number.device` of the companion. */
    loadSession(number: string, peer: string): string | undefined {
      const row = load.get(number, peer)
      return row && readText(row, 'record')
    },
    saveSession(number: string, peer: string, record: string) {
      save.run(number, peer, record)
    },
    /** `number.device` of each device with a session. */
    listPeers: (number: string): string[] => list.all(number).map((row) => readText(row, 'peer')),
    deleteAll(number: string) {
      deleteAll.run(number)
    },
  }
}

/** A phone's own keys for each group, the devices that have them, and the keys of other devices. */
export function createSenderKeyTable(database: DatabaseSync) {
  const load = database.prepare('select record from sender_keys where number = ? and chat = ? and peer = ?')
  const save = database.prepare('insert or replace into sender_keys values (?, ?, ?, ?)')
  const isShared = database.prepare(
    'select count(*) as n from sender_keys_given where number = ? and chat = ? and peer = ?',
  )
  const markShared = database.prepare('insert or ignore into sender_keys_given values (?, ?, ?)')
  const deleteOwn = [
    "delete from sender_keys where chat = ?1 and peer = number || '.0'",
    'delete from sender_keys_given where chat = ?1',
  ].map((statement) => database.prepare(statement))
  const deleteAll = ['sender_keys', 'sender_keys_given'].map((table) =>
    database.prepare(`delete from ${table} where number = ? and chat = ?`),
  )
  const deleteOfPhone = ['sender_keys', 'sender_keys_given'].map((table) =>
    database.prepare(`delete from ${table} where number = ?`),
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
      return readInteger(isShared.get(number, chat, peer) ?? {}, 'n') > 0
    },
    markShared(number: string, chat: string, peer: string) {
      markShared.run(number, chat, peer)
    },
    /** A member has left, so the phones create new keys that this member does not have. */
    deleteOwnKeys(chat: string) {
      for (const statement of deleteOwn) statement.run(chat)
    },
    /** Deletes the keys of all groups on a phone. */
    deleteOfPhone(number: string) {
      for (const statement of deleteOfPhone) statement.run(number)
    },
    /** Deletes all keys of the group on a phone that is no longer in it. */
    deleteKeys(number: string, chat: string) {
      for (const statement of deleteAll) statement.run(number, chat)
    },
  }
}
