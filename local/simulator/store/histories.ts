// The chunks of history that phones send to each companion that they link, where a test has said which.
import type { DatabaseSync } from 'node:sqlite'
import type { Chunk } from '../phones/history.ts'
import { text } from './database.ts'

export function historyTable(database: DatabaseSync) {
  const set = database.prepare('insert or replace into histories (number, chunks) values (?, ?)')
  const get = database.prepare('select chunks from histories where number = ?')
  return {
    set(number: string, chunks: Chunk[]) {
      set.run(number, JSON.stringify(chunks))
    },
    find(number: string): Chunk[] | undefined {
      const row = get.get(number)
      return row && JSON.parse(text(row, 'chunks'))
    },
  }
}
