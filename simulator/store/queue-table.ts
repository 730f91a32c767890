// The queue of each companion: every stanza stays in it until the companion has acknowledged it.
import type { DatabaseSync } from 'node:sqlite'
import type { LargeContents } from './large-contents.ts'
import { readBlob, readInteger, readText } from './network-database.ts'

/** Without its stanza if that was deleted. */
export type QueuedStanza = { seq: number; tag: string; stanza: Buffer | undefined }

/** Beyond this the oldest are deleted, as the network deletes stanzas that are never fetched. */
const MAX_STANZAS = 20_000
const TRIM_EVERY = 1_000

export function createQueueTable(database: DatabaseSync, large: LargeContents) {
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
    (select seq from queue where number = ?1 and device = ?2 order by seq desc limit 1 offset ${MAX_STANZAS})`)

  return {
    addStanza(number: string, device: number, tag: string, id: string, stanza: Buffer) {
      const row = add.get(number, device, tag, id, large.storeContent(stanza))
      if (row !== undefined && readInteger(row, 'seq') % TRIM_EVERY === 0) trim.run(number, device)
    },
    /** By tag. */
    countByTag(number: string, device: number): Record<string, number> {
      const rows = count.all(number, device)
      return Object.fromEntries(rows.map((row) => [readText(row, 'tag'), readInteger(row, 'waiting')]))
    },
    listWaiting(number: string, device: number, after: number, atMost: number): QueuedStanza[] {
      return some.all(number, device, after, atMost).map((row) => ({
        seq: readInteger(row, 'seq'),
        tag: readText(row, 'tag'),
        stanza: large.readContent(readBlob(row, 'stanza')),
      }))
    },
    deleteStanza(number: string, device: number, tag: string, id: string) {
      settle.run(number, device, id, tag)
    },
  }
}
