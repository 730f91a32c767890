// Acts that were sent to a host and have no outcome yet. They survive a broken link, and end when their caller stops waiting.

import type { Act, OutcomeQuery } from '@msgnet/shared/wire/link-frames.ts'
import { createUnknownOutcome } from '@msgnet/shared/wire/outcome.ts'
import type { ActOutcome, KeyedResponse } from '../objects/objects.ts'
import type { SetDeadline } from '../runtime/deadlines.ts'

interface PendingAct {
  act: Act
  /** The response to store for the request's key if the act is done. */
  keyedResponse: KeyedResponse | undefined
  /** What its host is asked when it links again. */
  query: OutcomeQuery
  /** The host has it in its journal. */
  accepted: boolean
  resolve(outcome: ActOutcome): void
  cancelTimeout(): void
}

export class PendingActs {
  readonly #acts = new Map<string, PendingAct>()
  readonly #setDeadline: SetDeadline

  constructor(setDeadline: SetDeadline) {
    this.#setDeadline = setDeadline
  }

  /** Waits for the outcome as long as the caller does. */
  add(act: Act, waitMs = act.budget, keyedResponse?: KeyedResponse): Promise<ActOutcome> {
    return this.#wait({ act, keyedResponse, query: { t: 'what', id: act.id } }, waitMs)
  }

  /** Waits for the answer to this query about an act of an earlier request. */
  ask(act: Act, query: OutcomeQuery, keyedResponse: KeyedResponse): Promise<ActOutcome> {
    return this.#wait({ act, keyedResponse, query }, act.budget)
  }

  #wait(
    { act, ...about }: Pick<PendingAct, 'act' | 'keyedResponse' | 'query'>,
    ms: number,
  ): Promise<ActOutcome> {
    return new Promise((resolve) => {
      const cancelTimeout = this.#setDeadline(ms, () => this.resolve(act.id, createUnknownOutcome()))
      this.#acts.set(act.id, { act, ...about, accepted: false, resolve, cancelTimeout })
    })
  }

  markAccepted(id: string): void {
    const pending = this.#acts.get(id)
    if (pending) pending.accepted = true
  }

  /** A host that accepted an act and no longer knows it has no journal any more: then the outcome is unknown. */
  resolveNotStarted(id: string, never = false): void {
    const notStarted: ActOutcome = { kind: 'not started', ...(never && { never }) }
    this.resolve(id, this.#acts.get(id)?.accepted ? createUnknownOutcome() : notStarted)
  }

  /** The outcome has arrived and will be used in a moment, so the timeout must not make it unknown before. */
  stopTimeout(id: string): void {
    this.#acts.get(id)?.cancelTimeout()
  }

  resolve(id: string, outcome: ActOutcome): void {
    const pending = this.#acts.get(id)
    if (!pending) return
    pending.cancelTimeout()
    this.#acts.delete(id)
    pending.resolve(outcome)
  }

  find(id: string): Pick<PendingAct, 'act' | 'keyedResponse'> | undefined {
    return this.#acts.get(id)
  }

  /** The queries for a host that has linked again. */
  buildOutcomeRequests(): OutcomeQuery[] {
    return [...this.#acts.values()].map(({ query }) => query)
  }
}
