// Group commit: calls of an isolate to the database at the same time are sent as one. The database takes one writer at a time, and
// a commit costs the same for the statements of one request as for those of fifty. Reads are grouped the same way.

import { SECOND } from '@msgnet/shared/date-time.ts'
import type { SetDeadline } from '../../../runtime/deadlines.ts'
import type { Query, Result } from '../../../runtime/query-types.ts'
import { StorageError } from '../storage-error.ts'
import { answerReads, answerWrites, type Call } from './answer-calls.ts'
import type { Post } from './pipeline.ts'

/** After this a call counts as unanswered, unless the group has another limit. */
export const ANSWER_TIMEOUT = 8 * SECOND
const CALLS_A_GROUP = 256

/** Belongs to the request, or the object, that makes the call. */
export interface Access {
  post: Post
  setDeadline: SetDeadline
  /** Work that outlives the request. */
  waitUntil(work: Promise<unknown>): void
}

interface Waiting extends Call {
  /** Called if a group was answered without this call: this call may have to lead the next. */
  lookAgain(): void
}

/**
 * One group follows another; calls that arrive during a group go with the next. One of the waiting requests leads the group,
 * because a connection belongs to one request. If that request ends early, the others wait for their time limit.
 */
export class GroupCommit {
  readonly #answer: (post: Post, calls: Call[]) => Promise<void>
  readonly #within: number
  #waiting: Waiting[] = []
  #ledUntil = 0

  /** Each read succeeds or fails alone; the writes of a call are all done or none. */
  constructor(mode: 'read' | 'write', within = ANSWER_TIMEOUT) {
    this.#answer = mode === 'read' ? answerReads : answerWrites
    this.#within = within
  }

  async addCall(access: Access, queries: Query[]): Promise<Result[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Result[]>()
    const call: Waiting = { queries, over: false, resolve, reject, lookAgain: () => undefined }
    let cancelTimeout: (() => void) | undefined
    this.#waiting.push(call)
    try {
      while (!call.over) {
        if (this.#ledUntil < Date.now()) this.#lead(access)
        // Its own time limit: it ends the wait if the leader is gone, and shows the runtime that this request is not stuck. A call
        // that leads at once has the limit of its own post.
        else
          cancelTimeout ??= access.setDeadline(this.#within, () => {
            call.over = true
            reject(new StorageError('the database did not respond in time'))
          })
        // Created here, in the request that waits: the runtime drops requests that wait for a promise of an ended request.
        const ended = Promise.withResolvers<void>()
        call.lookAgain = ended.resolve
        await Promise.race([promise, ended.promise])
      }
      return await promise
    } finally {
      cancelTimeout?.()
    }
  }

  #lead({ post, waitUntil }: Access): void {
    this.#ledUntil = Date.now() + this.#within
    // It carries statements of other requests, so it must not end with this request.
    waitUntil(this.#commit(post))
  }

  async #commit(post: Post): Promise<void> {
    // Calls of the same turn join this group.
    await undefined
    const calls = this.#waiting.splice(0, CALLS_A_GROUP).filter(({ over }) => !over)
    try {
      await this.#answer(post, calls)
    } finally {
      this.#ledUntil = 0
      for (const call of this.#waiting) call.lookAgain()
    }
  }
}
