// The queue of each companion: every stanza stays in it until the companion has acknowledged it.
import type { DatabaseSync } from 'node:sqlite'
import { blob, integer, text } from './database.ts'
import type { LargeContents } from './large-contents.ts'

/** Without its stanza if that was deleted. */
export type Waiting = { seq: number; tag: string; stanza: Buffer | undefined }

/** Beyond this the oldest are deleted, as the network deletes stanzas that are never fetched. */
const KEPT = 20_000
const TRIM_EVERY = 1_000

export function queueTable(database: DatabaseSync, large: LargeContents) {
  const add = database.prepare(
    'insert into queue (number, device, tag, id, stanza) values (?, ?, ?, ?, ?) returning seq',
  )
  const count = database.prepare(
    'select tag, count(*) as waiting from queue where number = ? and device = ? group by tag',
  )
  const some = database.prepare(
    'select seq, tag, stanza from queue where number = ? and device = ? and seq > ? order by seq limit ?',
  )
  const settle = database.prepare(`delete from queue where seq =
    (select min(seq) from queue where number = ? and device = ? and id = ? and tag = ?)`)
  const trim = database.prepare(`delete from queue where number = ?1 and device = ?2 and seq <=
    (select seq from queue where number = ?1 and device = ?2 order by seq desc limit 1 offset ${KEPT})`)

  return {
    add(number: string, device: number, tag: string, id: string, stanza: Buffer) {
      const row = add.get(number, device, tag, id, large.put(stanza))
      if (row !== undefined && integer(row, 'seq') % TRIM_EVERY === 0) trim.run(number, device)
    },
    /** By tag. */
    counts(number: string, device: number): Record<string, number> {
      const rows = count.all(number, device)
      return Object.fromEntries(rows.map((row) => [text(row, 'tag'), integer(row, 'waiting')]))
    },
    waiting(number: string, device: number, after: number, atMost: number): Waiting[] {
      return some.all(number, device, after, atMost).map((row) => ({
        seq: integer(row, 'seq'),
        tag: text(row, 'tag'),
        stanza: large.get(blob(row, 'stanza')),
      }))
    },
    settle(number: string, device: number, tag: string, id: string) {
      settle.run(number, device, id, tag)
    },
  }
}
