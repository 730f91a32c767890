// The accounts that are business accounts.
import type { DatabaseSync } from 'node:sqlite'

export function createBusinessTable(database: DatabaseSync) {
  const find = database.prepare('select 1 as yes from businesses where number = ?')
  const add = database.prepare('insert or ignore into businesses values (?)')
  const drop = database.prepare('delete from businesses where number = ?')

  return {
    has(number: string): boolean {
      return find.get(number) !== undefined
    },
    set(number: string, business: boolean) {
      if (business) add.run(number)
      else drop.run(number)
    },
  }
}
