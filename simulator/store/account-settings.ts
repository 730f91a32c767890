// What is set for an account: its privacy, its block list, and whether it is hosted or a business.
import type { DatabaseSync } from 'node:sqlite'
import type { Account } from './account-table.ts'
import { readText } from './network-database.ts'

const OPEN = 'all'

export function createPrivacyTable(database: DatabaseSync) {
  const get = database.prepare('select value from privacy where number = ? and category = ?')
  const set = database.prepare('insert or replace into privacy values (?, ?, ?)')
  const listBlocked = database.prepare('select other from blocked where number = ? order by other')
  const isBlocked = database.prepare('select 1 as yes from blocked where number = ? and other = ?')
  const block = database.prepare('insert or ignore into blocked values (?, ?)')
  const unblock = database.prepare('delete from blocked where number = ? and other = ?')

  return {
    readValue(number: string, category: string, fallback = OPEN): string {
      const row = get.get(number, category)
      return row === undefined ? fallback : readText(row, 'value')
    },
    storeValue(number: string, category: string, value: string) {
      set.run(number, category, value)
    },
    /** Numbers, not LIDs. */
    listBlocked(number: string): string[] {
      return listBlocked.all(number).map((row) => readText(row, 'other'))
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

/** `hosted`: a company's server runs a companion of the account. `businesses`: it is a business account. */
export function createAccountFlag(database: DatabaseSync, table: 'hosted' | 'businesses') {
  const find = database.prepare(`select 1 as yes from ${table} where number = ?`)
  const add = database.prepare(`insert or ignore into ${table} values (?)`)
  const remove = database.prepare(`delete from ${table} where number = ?`)

  return {
    has(number: string): boolean {
      return find.get(number) !== undefined
    },
    set(number: string, flag: boolean) {
      if (flag) add.run(number)
      else remove.run(number)
    },
  }
}

/** The account under whose name the sessions and one-time keys of its hosted device are stored. */
export const toHostedAccount = (account: Account): Account => ({
  ...account,
  number: `${account.number}-hosted`,
})
