// Acts on their way: handed to a host and not answered yet. They outlive a broken link; the caller's patience ends them.

import type { Act, EdgeFrame } from '../../shared/wire/frames.ts'
import { unknown } from '../../shared/wire/outcome.ts'
import type { After } from '../deadlines.ts'
import type { Answer, Keeping } from '../objects.ts'

interface PendingAct {
  act: Act
  /** What its request's key repeats, if the act is done. */
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

  /** A host that took an act and no longer knows it has lost its journal: then anything may have happened. */
  notStarted(id: string): void {
    this.resolve(id, this.#acts.get(id)?.accepted ? unknown() : { kind: 'not started' })
  }

  /** Its outcome is here, and is about to be told: what is known is not answered as unknown. */
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

  /** What to ask a host that has come back. */
  questions(): EdgeFrame[] {
    return [...this.#acts.keys()].map((id) => ({ t: 'what', id }))
  }
}
