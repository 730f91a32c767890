// The messages that each phone decrypted, in the order of their arrival.
import type { DatabaseSync } from 'node:sqlite'
import { integer, text } from './database.ts'

const KEPT = 20_000
const TRIM_EVERY = 500

export function inboxTable(database: DatabaseSync) {
  const add = database.prepare(`insert into inbox (number, id, sender, received_at, entry)
    values (?, ?, ?, ?, ?) on conflict (number, id, sender) do nothing returning seq`)
  const since = database.prepare('select entry from inbox where number = ? and seq > ? order by seq')
  const at = database.prepare('select entry from inbox where number = ? and received_at >= ? order by seq')
  const seqOf = database.prepare('select max(seq) as seq from inbox where number = ? and id = ?')
  const trim = database.prepare(`delete from inbox where number = ?1 and seq <=
    (select seq from inbox where number = ?1 order by seq desc limit 1 offset ${KEPT})`)
  const entries = (rows: Record<string, unknown>[]): unknown[] =>
    rows.map((row) => JSON.parse(text(row, 'entry')))

  return {
    /** False if this phone already has the message. */
    add(number: string, sender: string, id: string, entry: object): boolean {
      const row = add.get(number, id, sender, Date.now(), JSON.stringify(entry))
      if (row !== undefined && integer(row, 'seq') % TRIM_EVERY === 0) trim.run(number)
      return row !== undefined
    },
    all(number: string): unknown[] {
      return entries(since.all(number, 0))
    },
    /** The messages after that one; none if the phone does not have it. */
    afterMessage(number: string, id: string): unknown[] {
      const seq = seqOf.get(number, id)?.seq
      return typeof seq === 'number' ? entries(since.all(number, seq)) : []
    },
    /** The messages at that time (milliseconds) or later. */
    fromTime(number: string, time: number): unknown[] {
      return entries(at.all(number, time))
    },
  }
}
