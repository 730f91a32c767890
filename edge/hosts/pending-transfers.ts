// Files too large for a frame pass between a request and its host. The side that comes first waits for the other; each name is used once.

import { SECOND } from '@msgnet/shared/date-time.ts'
import type { SetDeadline } from '../runtime/deadlines.ts'

/** Longer than a working host needs to begin the transfer that an act names. */
const MAX_WAIT_MS = 60 * SECOND

interface Transfer {
  stream: TransformStream<Uint8Array, Uint8Array>
  uploaded: boolean
  /** Resolves to true when the upload begins, to false when there was no upload in time. */
  coming: PromiseWithResolvers<boolean>
  downloaded: boolean
  cancelTimeout(): void
}

export class PendingTransfers {
  readonly #open = new Map<string, Transfer>()
  readonly #setDeadline: SetDeadline

  constructor(setDeadline: SetDeadline) {
    this.#setDeadline = setDeadline
  }

  /** Resolves when the last byte was downloaded; to false if it was not. `signal`: aborted when the request does not wait for it any more. */
  async upload(name: string, body: ReadableStream<Uint8Array>, signal?: AbortSignal): Promise<boolean> {
    const transfer = this.#findOrCreate(name, signal)
    if (transfer.uploaded) return false
    transfer.uploaded = true
    transfer.coming.resolve(true)
    try {
      await body.pipeTo(transfer.stream.writable)
      return true
    } catch {
      // Either side has left: the outcome of the act says why.
      return false
    } finally {
      this.#end(name)
    }
  }

  /** Resolves when the upload begins; to undefined if there is no upload, or if it was downloaded before. */
  async download(name: string, signal?: AbortSignal): Promise<ReadableStream | undefined> {
    const transfer = this.#findOrCreate(name, signal)
    if (transfer.downloaded) return undefined
    transfer.downloaded = true
    return (await transfer.coming.promise) ? transfer.stream.readable : undefined
  }

  #findOrCreate(name: string, signal: AbortSignal | undefined): Transfer {
    signal?.addEventListener('abort', () => this.#expire(name))
    const open = this.#open.get(name)
    if (open) return open
    const stream = new TransformStream<Uint8Array, Uint8Array>()
    const cancelTimeout = this.#setDeadline(MAX_WAIT_MS, () => this.#expire(name))
    const coming = Promise.withResolvers<boolean>()
    const transfer = { stream, uploaded: false, coming, downloaded: false, cancelTimeout }
    this.#open.set(name, transfer)
    return transfer
  }

  /** The upload or the download did not begin in time, or the request has ended before. */
  #expire(name: string): void {
    const transfer = this.#open.get(name)
    this.#end(name)
    if (!transfer || (transfer.uploaded && transfer.downloaded)) return
    transfer.coming.resolve(false)
    if (transfer.uploaded) transfer.stream.readable.cancel('no download in time').catch(() => undefined)
  }

  #end(name: string): void {
    this.#open.get(name)?.cancelTimeout()
    this.#open.delete(name)
  }
}
