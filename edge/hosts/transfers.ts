// Bytes too large for a frame, on their way between a request and its host: whoever comes first waits for the other, once.

import { SECOND } from '../../shared/clock.ts'
import type { After } from '../deadlines.ts'

/** Longer than any honest host needs to come for what an act names. */
const WAITED_FOR = 60 * SECOND

interface Transfer {
  stream: IdentityTransformStream
  uploaded: boolean
  /** Whether somebody uploads it: known when he comes, or when nobody came. */
  coming: PromiseWithResolvers<boolean>
  downloaded: boolean
  forgetLimit(): void
}

export class Transfers {
  readonly #open = new Map<string, Transfer>()
  readonly #after: After

  constructor(after: After) {
    this.#after = after
  }

  /** Ends when it was downloaded to its last byte. */
  async upload(name: string, body: ReadableStream<Uint8Array>): Promise<boolean> {
    const transfer = this.#transfer(name)
    if (transfer.uploaded) return false
    transfer.uploaded = true
    transfer.coming.resolve(true)
    try {
      await body.pipeTo(transfer.stream.writable)
      return true
    } catch {
      return false
    } finally {
      this.#end(name)
    }
  }

  /** Once it is being uploaded; undefined when nobody uploads it, or somebody else has downloaded it. */
  async download(name: string): Promise<ReadableStream | undefined> {
    const transfer = this.#transfer(name)
    if (transfer.downloaded) return undefined
    transfer.downloaded = true
    return (await transfer.coming.promise) ? transfer.stream.readable : undefined
  }

  #transfer(name: string): Transfer {
    const open = this.#open.get(name)
    if (open) return open
    const stream = new IdentityTransformStream()
    const forgetLimit = this.#after(WAITED_FOR, () => this.#giveUp(name))
    const coming = Promise.withResolvers<boolean>()
    const transfer = { stream, uploaded: false, coming, downloaded: false, forgetLimit }
    this.#open.set(name, transfer)
    return transfer
  }

  /** Nobody uploaded it, or nobody came for it. */
  #giveUp(name: string): void {
    const transfer = this.#open.get(name)
    this.#end(name)
    if (!transfer || (transfer.uploaded && transfer.downloaded)) return
    transfer.coming.resolve(false)
    if (transfer.uploaded) transfer.stream.readable.cancel('nobody came').catch(() => undefined)
  }

  #end(name: string): void {
    this.#open.get(name)?.forgetLimit()
    this.#open.delete(name)
  }
}
