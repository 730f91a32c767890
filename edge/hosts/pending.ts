// Acts that were handed to a host and are not answered yet. They survive a broken link, and end when the caller's patience does.

import type { Act, EdgeFrame } from '../../shared/wire/frames.ts'
import { unknown } from '../../shared/wire/outcome.ts'
import type { After } from '../deadlines.ts'
import type { Answer, Keeping } from '../objects.ts'

interface PendingAct {
  act: Act
  /** The answer to store under the request's key if the act is done. */
  keeping: Keeping | undefined
  /** The host has it in its journal. */
  accepted: boolean
  resolve(answer: Answer): void
  forgetLimit(): void
}

export class Pending {
  readonly #acts = new Map<string, PendingAct>()
  readonly #after: After

  constructor(after: After) {
    this.#after = after
  }

  /** Waits for the answer as long as the caller does. */
  add(act: Act, patience = act.budget, keeping?: Keeping): Promise<Answer> {
    return new Promise((resolve) => {
      const forgetLimit = this.#after(patience, () => this.resolve(act.id, unknown()))
      this.#acts.set(act.id, { act, keeping, accepted: false, resolve, forgetLimit })
    })
  }

  accepted(id: string): void {
    const pending = this.#acts.get(id)
    if (pending) pending.accepted = true
  }

  /** A host that accepted an act and does not know it any more has lost its journal: then the outcome is unknown. */
  notStarted(id: string): void {
    this.resolve(id, this.#acts.get(id)?.accepted ? unknown() : { kind: 'not started' })
  }

  /** The outcome is here and will be answered in a moment, so the timeout must not answer `unknown` before. */
  arrived(id: string): void {
    this.#acts.get(id)?.forgetLimit()
  }

  resolve(id: string, answer: Answer): void {
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
  questions(): EdgeFrame[] {
    return [...this.#acts.keys()].map((id) => ({ t: 'what', id }))
  }
}
