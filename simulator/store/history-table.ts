// The chunks of history that phones send to each companion that they link, where a test has set them.
import type { DatabaseSync } from 'node:sqlite'
import { readText } from './network-database.ts'

export const CHUNK_TYPES = ['bootstrap', 'recent', 'full', 'push_name', 'on_demand'] as const

/** `with`: a number, an id or a group. */
export type HistoryChat = {
  with: string
  /** Its id in the history. */
  addressing?: 'pn' | 'lid' | undefined
  name?: string | undefined
  messages?: number | undefined
  /** Of one of its messages. */
  messageBytes?: number | undefined
  /** The token that the person gave the account, in base64, and when, in seconds. */
  token?: string | undefined
  tokenAt?: number | undefined
}

export type Chunk = {
  type: (typeof CHUNK_TYPES)[number]
  /** Inside the message, in place of a file. */
  inline?: boolean | undefined
  progress?: number | undefined
  order?: number | undefined
  chats?: HistoryChat[] | undefined
  /** Numbers whose pairs with their LIDs the chunk lists. */
  pairs?: string[] | undefined
  pushNames?: { number: string; name: string }[] | undefined
  /** Compressed bytes, in base64, in place of those of the above. */
  raw?: string | undefined
  /** Its file is on no media host. */
  lost?: boolean | undefined
}

export function createHistoryTable(database: DatabaseSync) {
  const set = database.prepare('insert or replace into histories (number, chunks) values (?, ?)')
  const get = database.prepare('select chunks from histories where number = ?')
  return {
    set(number: string, chunks: Chunk[]) {
      set.run(number, JSON.stringify(chunks))
    },
    find(number: string): Chunk[] | undefined {
      const row = get.get(number)
      return row && JSON.parse(readText(row, 'chunks'))
    },
  }
}
