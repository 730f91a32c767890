// What one running request has to do with its Idempotency-Key: nothing, until something may take effect.

import type { Statement } from '../../shared/db/statements.ts'
import { Fault } from '../../shared/faults.ts'
import type { Env } from '../env.ts'
import type { Store } from '../store/database/database.ts'
import { type Claim, findKey, freeKey, type KeyRow, type Owned, takeKey } from '../store/idempotency-keys.ts'
import { keptAnswer } from '../store/kept-answers.ts'

/** A key that nobody has, one that was taken for this request, or the act that was handed over under it, which is asked after. */
export type Standing = { free: Claim } | { taken: Claim; messageid: string } | { handed: KeyRow }

export class IdempotencyClaim {
  readonly actId: string
  /** The act was handed over by an earlier request: it is asked after, never handed over again. */
  readonly recalling: boolean
  /** The messageid that the key was taken with; empty as long as it is not. */
  readonly messageid: string
  /** `untouched`: no row of ours. `taken`: perhaps one, and nothing done. `handed`: anything may have been done. */
  #progress: Progress
  readonly #env: Env
  readonly #store: Store
  readonly #standing: Standing
  readonly owned: Owned

  constructor(env: Env, store: Store, standing: Standing) {
    this.#env = env
    this.#store = store
    this.#standing = standing
    const { scope, key, actId, messageid, progress } = standingOf(standing)
    this.owned = { scope, key, actId }
    this.actId = actId
    this.recalling = 'handed' in standing
    this.messageid = messageid
    this.#progress = progress
  }

  /** Before an act may take effect: from here on the key never asks again. */
  async hand(messageid: string): Promise<void> {
    // A database that does not answer may have taken it all the same.
    this.#progress = 'taken'
    if (!('taken' in this.#standing)) await this.#take(messageid)
    this.#progress = 'handed'
  }

  /** Somebody else sees to it that the key repeats the answer. */
  wasKept(): void {
    this.#progress = 'kept'
  }

  /** The act did not reach anybody: nothing happened, and the key will be free again. */
  takeBack(): void {
    this.#progress = 'taken'
  }

  /** Effects in the database and their answer, in one write with the key itself: all of it is there, or nothing. */
  async doAndKeep(effects: Statement[], status: number, body: string): Promise<void> {
    await this.#take('', [...effects, await keptAnswer(this.#env, this.owned, status, body)])
    this.#progress = 'kept'
  }

  /** The request is over: what makes its key tell the answer if anything may have happened, or else frees it. */
  async ending(answer: Response): Promise<Statement[]> {
    if (this.#progress === 'taken') return [freeKey(this.owned)]
    if (this.#progress !== 'handed') return []
    // The outcome may still become known: the next repeat asks again.
    if (this.recalling && answer.status === 504) return []
    const body = new Uint8Array(await answer.clone().arrayBuffer())
    return [await keptAnswer(this.#env, this.owned, answer.status, body)]
  }

  async #take(messageid: string, effects: Statement[] = []): Promise<void> {
    if (!('free' in this.#standing)) throw new Error('a key that is asked after is not taken')
    const claim = this.#standing.free
    if (await takeKey(this.#store, claim, messageid, effects)) return
    this.#progress = 'untouched'
    const other = await findKey(this.#store, claim)
    throw new Fault(
      other && other.fingerprint !== claim.fingerprint ? 'idempotency_mismatch' : 'idempotency_in_progress',
    )
  }
}

type Progress = 'untouched' | 'taken' | 'handed' | 'kept'

function standingOf(standing: Standing): Owned & { messageid: string; progress: Progress } {
  if ('free' in standing) return { ...standing.free, messageid: '', progress: 'untouched' }
  if ('handed' in standing) return { ...standing.handed, progress: 'handed' }
  return { ...standing.taken, messageid: standing.messageid, progress: 'taken' }
}
