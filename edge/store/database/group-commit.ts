// Group commit: calls to the database that an isolate has at the same time are sent as one, because it takes one writer at a time,
// and a commit costs the same for the statements of one request as for those of fifty. Reads are grouped the same way.

import { waitUntil } from 'cloudflare:workers'
import { SECOND } from '../../../shared/clock.ts'
import type { After } from '../../deadlines.ts'
import { answerReads, answerWrites, type Call } from './calls.ts'
import type { Post, Query, Result } from './pipeline.ts'
import { StorageError } from './storage-error.ts'

/** Past this a call counts as unanswered, unless the group was made with another limit. */
export const ANSWER_WITHIN = 8 * SECOND
const CALLS_A_GROUP = 256

/** The asking request's own, or the asking object's. */
export interface Access {
  post: Post
  after: After
}

interface Waiting extends Call {
  /** A group was answered without this call: it may have to lead the next. */
  lookAgain(): void
}

/**
 * Groups follow each other; what arrives while one is under way goes with the next. A group is led by one of those who wait, in
 * its own request, because a connection cannot be used by another; were that request to end, its time runs out.
 */
export class GroupCommit {
  readonly #answer: (post: Post, calls: Call[]) => Promise<void>
  readonly #within: number
  #waiting: Waiting[] = []
  #ledUntil = 0

  /** Reads stand each for itself; the writes of a call are all done or none. */
  constructor(mode: 'read' | 'write', within = ANSWER_WITHIN) {
    this.#answer = mode === 'read' ? answerReads : answerWrites
    this.#within = within
  }

  async ask({ post, after }: Access, queries: Query[]): Promise<Result[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Result[]>()
    const call: Waiting = { queries, over: false, resolve, reject, lookAgain: () => undefined }
    let forgetLimit: (() => void) | undefined
    this.#waiting.push(call)
    try {
      while (!call.over) {
        if (this.#ledUntil < Date.now()) this.#lead(post)
        // Its own limit: it ends the waiting if the leader is gone, and tells the runtime that this request is not stuck. Whoever
        // leads at once has that of its call.
        else
          forgetLimit ??= after(this.#within, () => {
            call.over = true
            reject(new StorageError('the database did not answer in time'))
          })
        // Made here: the runtime drops whoever waits for a promise of a request that has ended.
        const ended = Promise.withResolvers<void>()
        call.lookAgain = ended.resolve
        await Promise.race([promise, ended.promise])
      }
      return await promise
    } finally {
      forgetLimit?.()
    }
  }

  #lead(post: Post): void {
    this.#ledUntil = Date.now() + this.#within
    // The others' statements go with it: they must not end with this request.
    waitUntil(this.#commit(post))
  }

  async #commit(post: Post): Promise<void> {
    // What is asked for in the same turn goes with it.
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
