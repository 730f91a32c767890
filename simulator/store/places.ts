// The ports of the last run, so that they can be used again.
import type { DatabaseSync } from 'node:sqlite'
import { integer } from './database.ts'

export function placeTable(database: DatabaseSync) {
  const get = database.prepare('select value from places where name = ?')
  const set = database.prepare('insert or replace into places values (?, ?)')
  return {
    /** 0 if there is none yet. */
    port(name: string): number {
      const row = get.get(name)
      return row === undefined ? 0 : integer(row, 'value')
    },
    setPort(name: string, port: number) {
      set.run(name, port)
    },
  }
}
