// Bytes too large for a frame: fetched from the edge, or brought to it, by a name that is good once.

import type { Log } from '../log.ts'
import { wholeOnly } from './whole.ts'

export interface Transfers {
  /** Undefined when it does not arrive whole and in time. */
  download(name: string, deadline: AbortSignal): Promise<Uint8Array | undefined>
  /** The same as it comes: what is not whole ends in an error. */
  stream(name: string, deadline: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined>
  /** Whether it was taken to its end. */
  upload(name: string, body: ReadableStream<Uint8Array>, deadline: AbortSignal): Promise<boolean>
}

/** `edgeUrl`: where the link is dialled, by http. */
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
