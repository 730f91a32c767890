// The history of phones, where a test has set it: the chunks that they send to each companion that they link, or a long past.
import type { DatabaseSync } from 'node:sqlite'
import { readInteger, readText } from './network-database.ts'

export const CHUNK_TYPES = ['bootstrap', 'recent', 'full', 'push_name', 'on_demand'] as const

/** `with`: a number, an id or a group. */
export type HistoryChat = {
  with: string
  /** Its id in the history. */
  addressing?: 'pn' | 'lid' | undefined
  name?: string | undefined
  messages?: number | undefined
  /** Messages that were sent at these times, in milliseconds; in the chunk they stand in this order. */
  sentAt?: number[] | undefined
  /** Ids of messages that phones wrote in it. */
  written?: string[] | undefined
  /** Of one of its messages. */
  messageBytes?: number | undefined
  /** The token that the person gave the account, in base64, and when, in seconds. */
  token?: string | undefined
  tokenAt?: number | undefined
  timer?: number | undefined
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

/** Messages that are not stored: each is made from its place when it is sent. */
export type Past = {
  chats: number
  messages: number
  /** How many of the chats are groups. */
  groups: number
  /** From the oldest message to the newest. */
  days: number
  /** Of the text of a message. */
  textBytes: number
  /** Numbers of people who have chats in it. The others have no account. */
  with: string[]
  /** Seconds. */
  newestAt: number
}

/** What a companion has been sent of it. */
export type PastDelivery = { isFull: boolean; sent: number }

export function createPastTable(database: DatabaseSync) {
  const set = database.prepare('insert or replace into pasts (number, past) values (?, ?)')
  const get = database.prepare('select past from pasts where number = ?')
  const begin = database.prepare('insert or replace into past_deliveries values (?, ?, ?, 0)')
  const find = database.prepare('select is_full, sent from past_deliveries where number = ? and device = ?')
  const record = database.prepare('update past_deliveries set sent = ? where number = ? and device = ?')
  return {
    set(number: string, past: Past) {
      set.run(number, JSON.stringify(past))
    },
    find(number: string): Past | undefined {
      const row = get.get(number)
      return row && JSON.parse(readText(row, 'past'))
    },
    /** A companion was linked. `isFull`: it asks for all that the phone has. */
    beginDelivery(number: string, device: number, isFull: boolean) {
      begin.run(number, device, Number(isFull))
    },
    findDelivery(number: string, device: number): PastDelivery | undefined {
      const row = find.get(number, device)
      return row && { isFull: readInteger(row, 'is_full') === 1, sent: readInteger(row, 'sent') }
    },
    recordSent(number: string, device: number, sent: number) {
      record.run(sent, number, device)
    },
  }
}
