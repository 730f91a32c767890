// The claim of one running request on its Idempotency-Key, from before its work begins until its answer is kept.

import type { Statement } from '../../shared/db/statements.ts'
import { Fault } from '../../shared/faults.ts'
import { utf8 } from '../bytes.ts'
import type { Env } from '../env.ts'
import { sealerOf } from '../seals.ts'
import type { Store } from '../store/database.ts'
import { type Claim, free, keepAnswer, markHanded, type ReplayRow } from '../store/replays.ts'

const contextOf = ({ scope, key }: Claim) => `replay:${scope}:${key}`

export class ReplayClaim {
  readonly actId: string
  /** The act was handed over by an earlier request: it is asked after, never handed over again. */
  readonly recalling: boolean
  /** The messageid of the act that is asked after. */
  readonly messageid: string
  #progress: 'claimed' | 'handed' | 'kept'
  readonly #env: Env
  readonly #store: Store
  readonly #claim: Claim

  constructor(env: Env, store: Store, row: ReplayRow) {
    this.#env = env
    this.#store = store
    this.#claim = row
    this.actId = row.actId
    this.messageid = row.messageid
    this.recalling = row.state !== 'claimed'
    this.#progress = this.recalling ? 'handed' : 'claimed'
  }

  /** Before an act may take effect: from here on the key never asks again. */
  async hand(messageid: string): Promise<void> {
    if (!(await markHanded(this.#store, this.#claim, messageid))) throw new Fault('idempotency_in_progress')
    this.#progress = 'handed'
  }

  /** The act did not reach anybody: nothing happened, and the key will be free again. */
  takeBack(): void {
    this.#progress = 'claimed'
  }

  /** Effects in the database and their answer, kept in one write. */
  async keepWith(effects: Statement[], status: number, body: string): Promise<void> {
    const sealed = await this.#seal(utf8(body))
    await this.#store.write([...effects, keepAnswer(this.#store, this.#claim, status, sealed)])
    this.#progress = 'kept'
  }

  /** The request is over: its answer is kept if anything may have happened, else the key is free. */
  async settle(answer: Response): Promise<void> {
    if (this.#progress === 'kept') return
    // An outcome may still come to light: the next repeat asks again.
    if (this.recalling && answer.status === 504) return
    if (this.#progress === 'claimed') return free(this.#store, this.#claim)
    const body = new Uint8Array(await answer.clone().arrayBuffer())
    const sealed = await this.#seal(body)
    await this.#store.write([keepAnswer(this.#store, this.#claim, answer.status, sealed)])
  }

  async #seal(body: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const sealer = await sealerOf(this.#env)
    return sealer.seal(body, contextOf(this.#claim))
  }
}

/** The bytes that were answered under this key before. */
export async function openAnswer(env: Env, row: ReplayRow): Promise<Uint8Array<ArrayBuffer>> {
  const sealer = await sealerOf(env)
  return sealer.open(new Uint8Array(row.response ?? []), contextOf(row))
}
