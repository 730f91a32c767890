// Current and past calls: the caller, the called account, and how the call ended.

import type { AddressForm } from '../store/message-table.ts'
import { createMessageId } from './stanza-ids.ts'

export type CallState = 'offer' | 'accept' | 'reject' | 'timeout' | 'terminate'

export type Call = {
  id: string
  /** Numbers of two accounts. */
  from: string
  to: string
  form: AddressForm
  video: boolean
  state: CallState
  /** The companion that rejected it, if it was one. */
  rejectedBy?: number | undefined
}

const MAX_CALLS = 1_000

/** Calls end with the process, so they are not stored. */
export class Calls {
  readonly #all = new Map<string, Call>()

  startCall(call: Omit<Call, 'id' | 'state'>): Call {
    const begun: Call = { id: createMessageId(), state: 'offer', ...call }
    const oldest = this.#all.keys().next().value
    if (this.#all.size >= MAX_CALLS && oldest !== undefined) this.#all.delete(oldest)
    this.#all.set(begun.id, begun)
    return begun
  }

  findCall(id: string): Call | undefined {
    return this.#all.get(id)
  }

  clear() {
    this.#all.clear()
  }
}

/** An accepted call can still be ended; every other call that no longer rings is over. */
export function mayBecome({ state }: Call, next: CallState): boolean {
  return state === 'offer' ? next !== 'offer' : state === 'accept' && next === 'terminate'
}
