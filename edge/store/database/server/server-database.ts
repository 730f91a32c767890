// A libSQL server over HTTP. Every call has a time limit, and calls of the same time are sent as one.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { observeDuration } from '../../../observability/histograms.ts'
import type { SetDeadline } from '../../../runtime/deadlines.ts'
import type { Database } from '../../../runtime/query-types.ts'
import { StorageError } from '../storage-error.ts'
import { type Access, ANSWER_TIMEOUT, GroupCommit } from './call-groups.ts'
import type { Post } from './pipeline.ts'

// Shared by all requests. They hold statements and no connection, which belongs to one request on some runtimes: with one
// client for all, a request would wait for promises of another and hang for ever under load.
const reads = new GroupCommit('read')
const writes = new GroupCommit('write')

/** A readiness probe gives up after two seconds, so it must not wait behind other reads. */
const PING_TIMEOUT = 1.5 * SECOND
const pings = new GroupCommit('read', PING_TIMEOUT)

/** The database takes one writer at a time. */
const MAX_WRITE_MS = 200

export interface Server {
  url: string | null | undefined
  token: string | null | undefined
  fetch(url: string, init: RequestInit): Promise<Pick<Response, 'status' | 'text'>>
  waitUntil(work: Promise<unknown>): void
}

/** For one request, or one run of an object, whose timeouts `setDeadline` sets. */
export function openServer(server: Server, setDeadline: SetDeadline): Database {
  const createAccess = (within: number): Access => ({
    post: createPost(server, setDeadline, within),
    setDeadline,
    waitUntil: server.waitUntil,
  })
  const usual = createAccess(ANSWER_TIMEOUT)
  return {
    maxWriteMs: MAX_WRITE_MS,
    read: (queries) => reads.addCall(usual, queries),
    write: (queries) => writes.addCall(usual, queries),
    async ping() {
      await pings.addCall(createAccess(PING_TIMEOUT), [{ sql: 'select 1', args: [] }])
    },
  }
}

const createPost =
  ({ url: base, token, fetch }: Server, setDeadline: SetDeadline, within: number): Post =>
  async (path, body) => {
    if (!base) throw new StorageError('DATABASE_URL is not set')
    const url = base.replace(/^libsql:/, 'https:').replace(/\/$/, '') + path
    const abortController = new AbortController()
    const cancelTimeout = setDeadline(within, () => abortController.abort())
    const started = Date.now()
    let outcome = 'none'
    try {
      const response = await fetch(url, {
        method: 'POST',
        body,
        signal: abortController.signal,
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
      throw new StorageError('the database did not respond', { cause: error })
    } finally {
      cancelTimeout()
      observeDuration(
        'db_client_operation_duration_seconds',
        { http_response_status_code: outcome },
        Date.now() - started,
      )
    }
  }
