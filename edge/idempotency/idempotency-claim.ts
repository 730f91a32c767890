// The claim of one running request on its Idempotency-Key. The key is claimed before anything may take effect.

import { DAY, HOUR } from '@msgnet/shared/date-time.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { decideKeyState } from './key-decision.ts'
import {
  type KeyClaim,
  type KeyOwner,
  type KeyRow,
  type KeyStore,
  releaseKey,
  type SentAct,
} from './key-store.ts'
import { dropLateOutcome } from './late-outcomes.ts'

/** `free`: not claimed yet. `claimed`: for this request. `dispatched`: an earlier request sent the act, and this one recalls it. */
export type ClaimStart =
  | { state: 'free'; claim: KeyClaim }
  | { state: 'claimed'; claim: KeyClaim; messageid: string }
  | { state: 'dispatched'; row: KeyRow }

/** Hosts remember unknown outcomes for a day; their clock may differ from that of the edge. */
const REMEMBERED_MS = DAY - HOUR

export class IdempotencyClaim {
  readonly owner: KeyOwner
  /** The act was sent by an earlier request: its outcome is recalled, and it is never sent again. */
  readonly isRecall: boolean
  /** The messageid that the key was claimed with; empty until it is claimed. */
  readonly messageid: string
  readonly #keys: KeyStore
  /** Undefined for a recall. */
  readonly #claim: KeyClaim | undefined
  /** Undefined but for a recall. */
  readonly #row: KeyRow | undefined
  /** Of a recall: what became of the act. Before that a refusal is of this request alone, as that of a database that does not answer. */
  #isKnown = false
  /** `claimed`: the row may exist, and nothing was done. `dispatched`: the effect may have happened. */
  #state: 'free' | 'claimed' | 'dispatched' | 'answered'

  constructor(keys: KeyStore, start: ClaimStart) {
    const { scope, key, actId } = start.state === 'dispatched' ? start.row : start.claim
    this.#keys = keys
    this.#claim = start.state === 'dispatched' ? undefined : start.claim
    this.#row = start.state === 'dispatched' ? start.row : undefined
    this.#state = start.state
    this.owner = { scope, key, actId }
    this.isRecall = start.state === 'dispatched'
    this.messageid = readMessageid(start)
  }

  /** Called before an act may take effect: from here on the key never starts it again. */
  async dispatch(act: SentAct): Promise<void> {
    if (this.#state === 'free') {
      // A database that does not answer may have stored the key.
      this.#state = 'claimed'
      await this.#claimKey((claim) => this.#keys.claim(claim, act))
    }
    this.#state = 'dispatched'
  }

  /** The act reached no host, or had no effect: the key will be free again. */
  undoDispatch(): void {
    this.#state = 'claimed'
  }

  /** For a recall: the process that the act was sent to, if it had the session ever since, and still knows what it was sent; or ''. */
  findBoot(epoch: number): string {
    const row = this.#row
    return row && row.epoch === epoch && row.createdAt > Date.now() - REMEMBERED_MS ? row.hostBoot : ''
  }

  /** For a recall: the act was never sent, and never will be. Throws `idempotency_in_progress` if another request knows more by now. */
  async releaseUnsent(): Promise<void> {
    this.#state = 'free'
    if (!(await this.#keys.releaseUnsent(this.owner))) throw new Fault('idempotency_in_progress')
  }

  /** The act was done, or refused. */
  markKnown(): void {
    this.#isKnown = true
  }

  /** The link object stores the response for the key. */
  markAnswered(): void {
    this.#state = 'answered'
  }

  /** Writes effects in the database, their response and the key itself in one transaction. */
  async writeWithResponse(effects: Statement[], status: number, body: string): Promise<void> {
    const statements = [...effects, await this.#keys.storeResponse(this.owner, status, body)]
    await this.#claimKey((claim) => this.#keys.claimWithEffects(claim, statements))
    this.#state = 'answered'
  }

  /** The last write of the request: stores the response if anything may have happened, or else releases the key. */
  async buildFinalWrite(response: Response): Promise<Statement[]> {
    if (this.#state === 'claimed') return [releaseKey(this.owner)]
    if (this.#state !== 'dispatched') return []
    // The next request with this key recalls the outcome again.
    if (this.isRecall && !this.#isKnown) return []
    const body = new Uint8Array(await response.clone().arrayBuffer())
    const stored = await this.#keys.storeResponse(this.owner, response.status, body)
    // An unknown outcome is stored when it is known, perhaps by now.
    return response.status === 504 ? [stored] : [stored, dropLateOutcome(this.owner.actId)]
  }

  async #claimKey(write: (claim: KeyClaim) => Promise<boolean>): Promise<void> {
    const claim = this.#claim
    if (!claim) throw new Error('a key is not claimed for a recall')
    if (await write(claim)) return
    this.#state = 'free'
    decideKeyState(await this.#keys.find(claim), claim.fingerprint)
    throw new Fault('idempotency_in_progress')
  }
}

function readMessageid(start: ClaimStart): string {
  switch (start.state) {
    case 'free':
      return ''
    case 'claimed':
      return start.messageid
    case 'dispatched':
      return start.row.messageid
  }
}
