// Bytes too large for a frame, on their way between a request and its host: whoever comes first waits for the other, once.

import { SECOND } from '../../shared/clock.ts'

/** Longer than any honest host needs to come for what an act names. */
const WAITED_FOR = 60 * SECOND

interface Exchange {
  stream: IdentityTransformStream
  brought: boolean
  collected: boolean
  timer: ReturnType<typeof setTimeout>
}

export class Parcels {
  readonly #open = new Map<string, Exchange>()

  /** Ends when it was collected to its last byte. */
  async bring(name: string, body: ReadableStream<Uint8Array>): Promise<boolean> {
    const exchange = this.#exchange(name)
    if (exchange.brought) return false
    exchange.brought = true
    try {
      await body.pipeTo(exchange.stream.writable)
      return true
    } catch {
      return false
    } finally {
      this.#end(name)
    }
  }

  /** Undefined when somebody else has collected it. */
  collect(name: string): ReadableStream | undefined {
    const exchange = this.#exchange(name)
    if (exchange.collected) return undefined
    exchange.collected = true
    return exchange.stream.readable
  }

  #exchange(name: string): Exchange {
    const open = this.#open.get(name)
    if (open) return open
    const stream = new IdentityTransformStream()
    const timer = setTimeout(() => this.#giveUp(name), WAITED_FOR)
    const exchange = { stream, brought: false, collected: false, timer }
    this.#open.set(name, exchange)
    return exchange
  }

  /** Nobody brought it, or nobody came for it. */
  #giveUp(name: string): void {
    const exchange = this.#open.get(name)
    this.#end(name)
    if (!exchange || (exchange.brought && exchange.collected)) return
    const ended = exchange.brought
      ? exchange.stream.readable.cancel('nobody came')
      : exchange.stream.writable.abort('nobody came')
    ended.catch(() => undefined)
  }

  #end(name: string): void {
    clearTimeout(this.#open.get(name)?.timer)
    this.#open.delete(name)
  }
}
