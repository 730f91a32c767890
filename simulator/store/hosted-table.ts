// The accounts with a hosted device: a companion that a company's server runs for a business.
import type { DatabaseSync } from 'node:sqlite'
import type { Account } from './account-table.ts'

/** The account under whose name the device's sessions and one-time keys are stored. */
export const toHostedAccount = (account: Account): Account => ({
  ...account,
  number: `${account.number}-hosted`,
})

export function createHostedTable(database: DatabaseSync) {
  const find = database.prepare('select 1 as yes from hosted where number = ?')
  const add = database.prepare('insert or ignore into hosted values (?)')
  const drop = database.prepare('delete from hosted where number = ?')

  return {
    has(number: string): boolean {
      return find.get(number) !== undefined
    },
    set(number: string, hosted: boolean) {
      if (hosted) add.run(number)
      else drop.run(number)
    },
  }
}
