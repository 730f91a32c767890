// What one running request has to do with its Idempotency-Key: nothing, until something may take effect.

import type { Statement } from '../../shared/db/statements.ts'
import { Fault } from '../../shared/faults.ts'
import { utf8 } from '../bytes.ts'
import type { Env } from '../env.ts'
import { sealerOf } from '../seals.ts'
import type { Store } from '../store/database.ts'
import { type Claim, findKey, freeKey, type KeyRow, keepAnswer, takeKey } from '../store/idempotency-keys.ts'

type Named = Pick<Claim, 'scope' | 'key'>
const contextOf = ({ scope, key }: Named) => `replay:${scope}:${key}`

/** A key that nobody has taken, or the act that was handed over under it, which is asked after. */
export type Standing = { free: Claim } | { handed: KeyRow }

export class IdempotencyClaim {
  readonly actId: string
  /** The act was handed over by an earlier request: it is asked after, never handed over again. */
  readonly recalling: boolean
  /** The messageid of the act that is asked after. */
  readonly messageid: string
  /** `untouched`: no row of ours. `taken`: perhaps one, and nothing done. `handed`: anything may have been done. */
  #progress: 'untouched' | 'taken' | 'handed' | 'kept'
  readonly #env: Env
  readonly #store: Store
  readonly #standing: Standing
  readonly #owned: Named & { actId: string }

  constructor(env: Env, store: Store, standing: Standing) {
    this.#env = env
    this.#store = store
    this.#standing = standing
    this.#owned = 'free' in standing ? standing.free : standing.handed
    this.actId = this.#owned.actId
    this.recalling = 'handed' in standing
    this.messageid = 'handed' in standing ? standing.handed.messageid : ''
    this.#progress = this.recalling ? 'handed' : 'untouched'
  }

  /** Before an act may take effect: from here on the key never asks again. */
  async hand(messageid: string): Promise<void> {
    // A database that does not answer may have taken it all the same.
    this.#progress = 'taken'
    await this.#take(messageid)
    this.#progress = 'handed'
  }

  /** The act did not reach anybody: nothing happened, and the key will be free again. */
  takeBack(): void {
    this.#progress = 'taken'
  }

  /** Effects in the database and their answer, in one write with the key itself: all of it is there, or nothing. */
  async doAndKeep(effects: Statement[], status: number, body: string): Promise<void> {
    const sealed = await this.#seal(utf8(body))
    await this.#take('', [...effects, keepAnswer(this.#owned, status, sealed)])
    this.#progress = 'kept'
  }

  /** The request is over: what makes its key tell the answer if anything may have happened, or else frees it. */
  async ending(answer: Response): Promise<Statement[]> {
    if (this.#progress === 'taken') return [freeKey(this.#owned)]
    if (this.#progress !== 'handed') return []
    // An outcome may still come to light: the next repeat asks again.
    if (this.recalling && answer.status === 504) return []
    const body = new Uint8Array(await answer.clone().arrayBuffer())
    return [keepAnswer(this.#owned, answer.status, await this.#seal(body))]
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

  async #seal(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const sealer = await sealerOf(this.#env, 'edge/replay')
    return sealer.seal(body, contextOf(this.#owned))
  }
}

/** The bytes that were answered under this key before. */
export async function openAnswer(env: Env, row: KeyRow): Promise<Uint8Array<ArrayBuffer>> {
  const sealer = await sealerOf(env, 'edge/replay')
  return sealer.open(new Uint8Array(row.response ?? []), contextOf(row))
}
