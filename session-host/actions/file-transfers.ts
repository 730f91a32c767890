// Transfers files that are too large for a frame: downloads from the edge and uploads to it, each by a name that is valid once.

import { TRANSFER_END } from '@msgnet/shared/wire/transfer-end.ts'
import type { Log } from '../process/host-log.ts'

export class Transfers {
  readonly #edgeUrl: string
  readonly #headers: Record<string, string>
  readonly #log: Log

  /** `edgeUrl`: the address that the link dials, as http. */
  constructor(edgeUrl: string, hostToken: string, log: Log) {
    this.#edgeUrl = edgeUrl
    this.#headers = { authorization: `Bearer ${hostToken}` }
    this.#log = log
  }

  /** Undefined if the file does not arrive whole and in time. */
  async downloadFile(name: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    try {
      const body = await this.#fetchBody(name, signal)
      return body && new Uint8Array(await new Response(body).arrayBuffer())
    } catch (error) {
      return this.#logFailure(error)
    }
  }

  /** The same as a stream; if the file is not whole, it ends in an error. */
  async streamFile(name: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined> {
    try {
      return await this.#fetchBody(name, signal)
    } catch (error) {
      return this.#logFailure(error)
    }
  }

  /** Whether the edge took the whole file. */
  async uploadFile(name: string, body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<boolean> {
    // A request that may follow a redirect keeps its whole body in memory, to send it again: `fetch` clones it.
    const options = { method: 'PUT', duplex: 'half', redirect: 'error' } as const
    try {
      const response = await fetch(this.#buildUrl(name), { ...options, headers: this.#headers, body, signal })
      await response.body?.cancel()
      return response.ok
    } catch (error) {
      this.#logFailure(error)
      return false
    }
  }

  async #fetchBody(name: string, signal: AbortSignal) {
    const response = await fetch(this.#buildUrl(name), { headers: this.#headers, signal })
    return response.ok ? response.body?.pipeThrough(requireEndMark()) : undefined
  }

  #buildUrl(name: string): string {
    return `${this.#edgeUrl}/hosts/v1/parcel?name=${encodeURIComponent(name)}`
  }

  #logFailure(error: unknown): undefined {
    this.#log.warn({ error }, 'failed to transfer file')
  }
}

/** Passes all bytes on but the last bytes, which must be the mark of a whole file. */
function requireEndMark(): TransformStream<Uint8Array, Uint8Array> {
  let tail = new Uint8Array()
  return new TransformStream({
    transform(chunk, controller) {
      const data = Buffer.concat([tail, chunk])
      const rest = Math.max(0, data.length - TRANSFER_END.length)
      tail = Uint8Array.from(data.subarray(rest))
      if (rest > 0) controller.enqueue(data.subarray(0, rest))
    },
    flush(controller) {
      if (Buffer.compare(tail, TRANSFER_END) !== 0)
        controller.error(new Error('the transferred file is torn'))
    },
  })
}
