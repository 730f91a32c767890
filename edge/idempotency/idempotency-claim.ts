// The claim of one running request on its Idempotency-Key. The key is taken before anything may take effect.

import type { Statement } from '../../shared/db/prepared-queries.ts'
import { Fault } from '../../shared/fault-table.ts'
import type { Env } from '../env.ts'
import type { Store } from '../store/database/open-store.ts'
import { type Claim, claimKey, findKey, type KeyRow, type Owned, releaseKey } from './key-store.ts'
import { sealResponse } from './stored-response.ts'

/** `free`: nobody has the key. `taken`: for this request. `handed`: an earlier request handed over the act, and this one recalls it. */
export type Standing = { free: Claim } | { taken: Claim; messageid: string } | { handed: KeyRow }

export class IdempotencyClaim {
  readonly actId: string
  /** The act was handed over by an earlier request: it is recalled, never handed over again. */
  readonly recalling: boolean
  /** The messageid that the key was taken with; empty until it is taken. */
  readonly messageid: string
  /** `untouched`: we have no row. `taken`: we may have one, and nothing was done. `handed`: the effect may have happened. */
  #progress: Progress
  readonly #env: Env
  readonly #store: Store
  readonly #standing: Standing
  readonly keyOwner: Owned

  constructor(env: Env, store: Store, standing: Standing) {
    this.#env = env
    this.#store = store
    this.#standing = standing
    const { scope, key, actId, messageid, progress } = readStanding(standing)
    this.keyOwner = { scope, key, actId }
    this.actId = actId
    this.recalling = 'handed' in standing
    this.messageid = messageid
    this.#progress = progress
  }

  /** Called before an act may take effect: from here on the key never starts it again. */
  async dispatch(messageid: string): Promise<void> {
    // A database that does not answer may have stored the key.
    this.#progress = 'taken'
    if (!('taken' in this.#standing)) await this.#take(messageid)
    this.#progress = 'handed'
  }

  /** The link object stores the answer for the key. */
  markStored(): void {
    this.#progress = 'kept'
  }

  /** The act reached no host: nothing happened, and the key will be free again. */
  undoDispatch(): void {
    this.#progress = 'taken'
  }

  /** Writes effects in the database, their answer and the key itself in one transaction. */
  async writeWithResponse(effects: Statement[], status: number, body: string): Promise<void> {
    await this.#take('', [...effects, await sealResponse(this.#env, this.keyOwner, status, body)])
    this.#progress = 'kept'
  }

  /** At the end of the request: stores the answer under the key if anything may have happened, or else frees the key. */
  async buildFinalWrite(answer: Response): Promise<Statement[]> {
    if (this.#progress === 'taken') return [releaseKey(this.keyOwner)]
    if (this.#progress !== 'handed') return []
    // The outcome may still become known, so the next request with this key recalls it again.
    if (this.recalling && answer.status === 504) return []
    const body = new Uint8Array(await answer.clone().arrayBuffer())
    return [await sealResponse(this.#env, this.keyOwner, answer.status, body)]
  }

  async #take(messageid: string, effects: Statement[] = []): Promise<void> {
    if (!('free' in this.#standing)) throw new Error('a key that is asked after is not taken')
    const claim = this.#standing.free
    if (await claimKey(this.#store, claim, messageid, effects)) return
    this.#progress = 'untouched'
    const other = await findKey(this.#store, claim)
    throw new Fault(
      other && other.fingerprint !== claim.fingerprint ? 'idempotency_mismatch' : 'idempotency_in_progress',
    )
  }
}

type Progress = 'untouched' | 'taken' | 'handed' | 'kept'

function readStanding(standing: Standing): Owned & { messageid: string; progress: Progress } {
  if ('free' in standing) return { ...standing.free, messageid: '', progress: 'untouched' }
  if ('handed' in standing) return { ...standing.handed, progress: 'handed' }
  return { ...standing.taken, messageid: standing.messageid, progress: 'taken' }
}
