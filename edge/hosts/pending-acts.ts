// Acts that were handed to a host and are not answered yet. They survive a broken link, and end when the caller's patience does.

import type { Act, EdgeFrame } from '../../shared/wire/link-frames.ts'
import { createUnknownOutcome } from '../../shared/wire/outcome.ts'
import type { SetDeadline } from '../deadlines.ts'
import type { ActOutcome, KeyedResponse } from '../objects.ts'

interface PendingAct {
  act: Act
  /** The answer to store under the request's key if the act is done. */
  keeping: KeyedResponse | undefined
  /** The host has it in its journal. */
  accepted: boolean
  resolve(answer: ActOutcome): void
  forgetLimit(): void
}

export class PendingActs {
  readonly #acts = new Map<string, PendingAct>()
  readonly #after: SetDeadline

  constructor(after: SetDeadline) {
    this.#after = after
  }

  /** Waits for the answer as long as the caller does. */
  add(act: Act, patience = act.budget, keeping?: KeyedResponse): Promise<ActOutcome> {
    return new Promise((resolve) => {
      const forgetLimit = this.#after(patience, () => this.resolve(act.id, createUnknownOutcome()))
      this.#acts.set(act.id, { act, keeping, accepted: false, resolve, forgetLimit })
    })
  }

  accepted(id: string): void {
    const pending = this.#acts.get(id)
    if (pending) pending.accepted = true
  }

  /** A host that accepted an act and does not know it any more has lost its journal: then the outcome is unknown. */
  notStarted(id: string): void {
    this.resolve(id, this.#acts.get(id)?.accepted ? createUnknownOutcome() : { kind: 'not started' })
  }

  /** The outcome is here and will be answered in a moment, so the timeout must not answer `unknown` before. */
  stopTimeout(id: string): void {
    this.#acts.get(id)?.forgetLimit()
  }

  resolve(id: string, answer: ActOutcome): void {
    const pending = this.#acts.get(id)
    if (!pending) return
    pending.forgetLimit()
    this.#acts.delete(id)
    pending.resolve(answer)
  }

  find(id: string): Pick<PendingAct, 'act' | 'keeping'> | undefined {
    return this.#acts.get(id)
  }

  /** The queries for a host that has come back. */
  buildOutcomeRequests(): EdgeFrame[] {
    return [...this.#acts.keys()].map((id) => ({ t: 'what', id }))
  }
}
