// The Signal sessions that phones have with companions.
import type { DatabaseSync } from 'node:sqlite'
import { readText } from './network-database.ts'

export function createSessionTable(database: DatabaseSync) {
  const load = database.prepare('select record from sessions where number = ? and peer = ?')
  const save = database.prepare('insert or replace into sessions values (?, ?, ?)')
  return {
    /** `peer` is `number.device` of the companion. */
    loadSession(number: string, peer: string): string | undefined {
      const row = load.get(number, peer)
      return row && readText(row, 'record')
    },
    saveSession(number: string, peer: string, record: string) {
      save.run(number, peer, record)
    },
  }
}
