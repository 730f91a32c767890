// An account's privacy settings and its block list.
import type { DatabaseSync } from 'node:sqlite'
import { readText } from './network-database.ts'

const OPEN = 'all'

export function createPrivacyTable(database: DatabaseSync) {
  const get = database.prepare('select value from privacy where number = ? and category = ?')
  const set = database.prepare('insert or replace into privacy values (?, ?, ?)')
  const blocked = database.prepare('select other from blocked where number = ? order by other')
  const isBlocked = database.prepare('select 1 as yes from blocked where number = ? and other = ?')
  const block = database.prepare('insert or ignore into blocked values (?, ?)')
  const unblock = database.prepare('delete from blocked where number = ? and other = ?')

  return {
    readValue(number: string, category: string, preset = OPEN): string {
      const row = get.get(number, category)
      return row === undefined ? preset : readText(row, 'value')
    },
    storeValue(number: string, category: string, value: string) {
      set.run(number, category, value)
    },
    /** Numbers, not LIDs. */
    listBlocked(number: string): string[] {
      return blocked.all(number).map((row) => readText(row, 'other'))
    },
    hasBlocked(number: string, other: string): boolean {
      return isBlocked.get(number, other) !== undefined
    },
    block(number: string, other: string) {
      block.run(number, other)
    },
    unblock(number: string, other: string) {
      unblock.run(number, other)
    },
  }
}
