// Bytes too large for a frame, on their way between a request and its host: whoever comes first waits for the other, once.

import { SECOND } from '../../shared/clock.ts'

/** Longer than any honest host needs to come for what an act names. */
const WAITED_FOR = 60 * SECOND

interface Exchange {
  stream: IdentityTransformStream
  brought: boolean
  /** Whether somebody brings it: known when he comes, or when nobody came. */
  coming: PromiseWithResolvers<boolean>
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
    exchange.coming.resolve(true)
    try {
      await body.pipeTo(exchange.stream.writable)
      return true
    } catch {
      return false
    } finally {
      this.#end(name)
    }
  }

  /** Once it is being brought; undefined when nobody brings it, or somebody else has collected it. */
  async collect(name: string): Promise<ReadableStream | undefined> {
    const exchange = this.#exchange(name)
    if (exchange.collected) return undefined
    exchange.collected = true
    return (await exchange.coming.promise) ? exchange.stream.readable : undefined
  }

  #exchange(name: string): Exchange {
    const open = this.#open.get(name)
    if (open) return open
    const stream = new IdentityTransformStream()
    const timer = setTimeout(() => this.#giveUp(name), WAITED_FOR)
    const coming = Promise.withResolvers<boolean>()
    const exchange = { stream, brought: false, coming, collected: false, timer }
    this.#open.set(name, exchange)
    return exchange
  }

  /** Nobody brought it, or nobody came for it. */
  #giveUp(name: string): void {
    const exchange = this.#open.get(name)
    this.#end(name)
    if (!exchange || (exchange.brought && exchange.collected)) return
    exchange.coming.resolve(false)
    if (exchange.brought) exchange.stream.readable.cancel('nobody came').catch(() => undefined)
  }

  #end(name: string): void {
    clearTimeout(this.#open.get(name)?.timer)
    this.#open.delete(name)
  }
}
