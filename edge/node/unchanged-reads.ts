// Results of large reads, which are returned again while nothing in the file has changed.

import { LRUCache } from 'lru-cache'
import type { Query, Result } from '../runtime/query-types.ts'

/** Each is as large as a large read may be. */
const MAX_RESULTS = 16

/** A query that says what it changes with, beside the rows. */
export type RepeatableQuery = Query & { changesWith: string }

export const isRepeatable = (query: Query | undefined): query is RepeatableQuery =>
  query?.changesWith !== undefined

interface StoredRead {
  version: string
  results: Promise<Result[]>
}

export class UnchangedReads {
  readonly #stored = new LRUCache<string, StoredRead>({ max: MAX_RESULTS })
  readonly #readVersion: (sql: string) => string
  readonly #read: (queries: Query[]) => Promise<Result[]>

  /** `readVersion` returns another text once a change is committed, or the value of its SQL is another one. */
  constructor(readVersion: (sql: string) => string, read: (queries: Query[]) => Promise<Result[]>) {
    this.#readVersion = readVersion
    this.#read = read
  }

  readQuery(query: RepeatableQuery): Promise<Result[]> {
    const key = JSON.stringify([query.sql, query.args])
    // Before the read: what is committed meanwhile is then a change, whether or not the read has seen it.
    const version = this.#readVersion(query.changesWith)
    const stored = this.#stored.get(key)
    if (stored?.version === version) return stored.results
    const results = this.#read([query])
    this.#stored.set(key, { version, results })
    results.catch(() => {
      if (this.#stored.get(key)?.results === results) this.#stored.delete(key)
    })
    return results
  }
}
