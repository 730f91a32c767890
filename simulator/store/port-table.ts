// The ports of the last run, so that they can be used again.
import type { DatabaseSync } from 'node:sqlite'
import { readInteger } from './network-database.ts'

export function createPortTable(database: DatabaseSync) {
  const get = database.prepare('select value from places where name = ?')
  const set = database.prepare('insert or replace into places values (?, ?)')
  return {
    /** 0 if there is none yet. */
    findPort(name: string): number {
      const row = get.get(name)
      return row === undefined ? 0 : readInteger(row, 'value')
    },
    setPort(name: string, port: number) {
      set.run(name, port)
    },
  }
}
