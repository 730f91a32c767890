// Transfers files that are too large for a frame: downloads from the edge and uploads to it, each by a name that is valid once.

import type { Log } from '../log.ts'
import { wholeOnly } from './whole.ts'

export interface Transfers {
  /** Undefined if the file does not arrive whole and in time. */
  download(name: string, deadline: AbortSignal): Promise<Uint8Array | undefined>
  /** The same as a stream; if the file is not whole, it ends in an error. */
  stream(name: string, deadline: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined>
  /** Whether the edge took the whole file. */
  upload(name: string, body: ReadableStream<Uint8Array>, deadline: AbortSignal): Promise<boolean>
}

/** `edgeUrl`: the address that the link dials, as http. */
export function makeTransfers(edgeUrl: string, hostToken: string, log: Log): Transfers {
  const headers = { authorization: `Bearer ${hostToken}` }
  const at = (name: string) => `${edgeUrl}/hosts/v1/parcel?name=${encodeURIComponent(name)}`
  const failed = (thrown: unknown) => log.warn({ err: thrown }, 'a transfer failed')

  return {
    async stream(name, signal) {
      try {
        const response = await fetch(at(name), { headers, signal })
        return response.ok ? response.body?.pipeThrough(wholeOnly()) : undefined
      } catch (thrown) {
        failed(thrown)
        return undefined
      }
    },
    async download(name, signal) {
      try {
        const response = await fetch(at(name), { headers, signal })
        const body = response.ok && response.body?.pipeThrough(wholeOnly())
        return body ? new Uint8Array(await new Response(body).arrayBuffer()) : undefined
      } catch (thrown) {
        failed(thrown)
        return undefined
      }
    },
    async upload(name, body, signal) {
      try {
        const response = await fetch(at(name), { method: 'PUT', headers, body, signal, duplex: 'half' })
        await response.body?.cancel()
        return response.ok
      } catch (thrown) {
        failed(thrown)
        return false
      }
    },
  }
}
