// A libSQL server over HTTP. Every call has a time limit, and calls of the same time are sent as one.

import { SECOND } from '../../../../shared/clock.ts'
import type { After } from '../../../deadlines.ts'
import { observe } from '../../../histograms.ts'
import type { Database } from '../statements.ts'
import { StorageError } from '../storage-error.ts'
import { type Access, ANSWER_WITHIN, GroupCommit } from './group-commit.ts'
import type { Post } from './pipeline.ts'

// Shared by all requests. They hold statements and no connection, which belongs to one request on some runtimes: with one
// client for all, a request would wait for promises of another and hang for ever under load.
const reads = new GroupCommit('read')
const writes = new GroupCommit('write')

/** A readiness probe gives up after two seconds, so it must not wait behind other reads. */
const PING_WITHIN = 1.5 * SECOND
const pings = new GroupCommit('read', PING_WITHIN)

/** The database takes one writer at a time. */
const LONGEST_WRITE = 200

export interface Server {
  url: string | null | undefined
  token: string | null | undefined
  fetch(url: string, init: RequestInit): Promise<Pick<Response, 'status' | 'text'>>
  waitUntil(work: Promise<unknown>): void
}

/** For one request, or one run of an object, whose time limits `after` sets. */
export function openServer(server: Server, after: After): Database {
  const access = (within: number): Access => ({
    post: postTo(server, after, within),
    after,
    waitUntil: server.waitUntil,
  })
  const usual = access(ANSWER_WITHIN)
  return {
    longestWrite: LONGEST_WRITE,
    read: (queries) => reads.ask(usual, queries),
    write: (queries) => writes.ask(usual, queries),
    async ping() {
      await pings.ask(access(PING_WITHIN), [{ sql: 'select 1', args: [] }])
    },
  }
}

const postTo =
  ({ url: base, token, fetch }: Server, after: After, within: number): Post =>
  async (path, body) => {
    if (!base) throw new StorageError('DATABASE_URL is not set')
    const url = base.replace(/^libsql:/, 'https:').replace(/\/$/, '') + path
    const limit = new AbortController()
    const forgetLimit = after(within, () => limit.abort())
    const started = Date.now()
    let outcome = 'none'
    try {
      const response = await fetch(url, {
        ...{ method: 'POST', body, signal: limit.signal },
        headers: {
          'content-type': 'application/json',
          ...(token && { authorization: `Bearer ${token}` }),
        },
      })
      // Read here, so that the time limit covers the body too.
      const text = await response.text()
      outcome = String(response.status)
      return { status: response.status, text }
    } catch (error) {
      throw new StorageError('the database did not answer', { cause: error })
    } finally {
      forgetLimit()
      observe(
        'db_client_operation_duration_seconds',
        { http_response_status_code: outcome },
        Date.now() - started,
      )
    }
  }
