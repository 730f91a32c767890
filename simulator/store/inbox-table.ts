// The messages that each phone decrypted, in the order of their arrival.
import type { DatabaseSync } from 'node:sqlite'
import { readInteger, readText } from './network-database.ts'

const MAX_MESSAGES = 20_000
const TRIM_EVERY = 500

export function createInboxTable(database: DatabaseSync) {
  const add = database.prepare(`insert into inbox (number, id, sender, received_at, entry)
    values (?, ?, ?, ?, ?) on conflict (number, id, sender) do nothing returning seq`)
  const since = database.prepare('select entry from inbox where number = ? and seq > ? order by seq')
  const at = database.prepare('select entry from inbox where number = ? and received_at >= ? order by seq')
  const findSeq = database.prepare('select max(seq) as seq from inbox where number = ? and id = ?')
  const trim = database.prepare(`delete from inbox where number = ?1 and seq <=
    (select seq from inbox where number = ?1 order by seq desc limit 1 offset ${MAX_MESSAGES})`)
  const parseEntries = (rows: Record<string, unknown>[]): unknown[] =>
    rows.map((row) => JSON.parse(readText(row, 'entry')))

  return {
    /** False if this phone already has the message. */
    add(number: string, sender: string, id: string, entry: object): boolean {
      const row = add.get(number, id, sender, Date.now(), JSON.stringify(entry))
      if (row !== undefined && readInteger(row, 'seq') % TRIM_EVERY === 0) trim.run(number)
      return row !== undefined
    },
    listAll(number: string): unknown[] {
      return parseEntries(since.all(number, 0))
    },
    /** The messages after that one; none if the phone does not have it. */
    listAfterMessage(number: string, id: string): unknown[] {
      const seq = findSeq.get(number, id)?.seq
      return typeof seq === 'number' ? parseEntries(since.all(number, seq)) : []
    },
    /** The messages at that time (milliseconds) or later. */
    listFromTime(number: string, time: number): unknown[] {
      return parseEntries(at.all(number, time))
    },
  }
}
