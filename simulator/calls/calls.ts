// Current and past calls: who calls whom, and how the call ended.
import { freshMessageId } from '../network/stamps.ts'
import type { Form } from '../store/messages.ts'

export type State = 'offer' | 'accept' | 'reject' | 'timeout' | 'terminate'

export type Call = {
  id: string
  /** Numbers of two accounts. */
  from: string
  to: string
  form: Form
  video: boolean
  state: State
  /** The companion that rejected it, if it was one. */
  rejectedBy?: number | undefined
}

const KEPT = 1_000

/** Calls end with the process, so they are not stored. */
export class Calls {
  readonly #all = new Map<string, Call>()

  begin(call: Omit<Call, 'id' | 'state'>): Call {
    const begun: Call = { id: freshMessageId(), state: 'offer', ...call }
    const oldest = this.#all.keys().next().value
    if (this.#all.size >= KEPT && oldest !== undefined) this.#all.delete(oldest)
    this.#all.set(begun.id, begun)
    return begun
  }

  find(id: string): Call | undefined {
    return this.#all.get(id)
  }

  clear() {
    this.#all.clear()
  }
}

/** An accepted call can still be ended; every other call that no longer rings is over. */
export function mayBecome({ state }: Call, next: State): boolean {
  return state === 'offer' ? next !== 'offer' : state === 'accept' && next === 'terminate'
}
