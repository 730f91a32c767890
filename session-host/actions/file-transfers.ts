// Transfers files that are too large for a frame: downloads from the edge and uploads to it, each by a name that is valid once.

import type { Log } from '../host-log.ts'
import { requireEndMark } from './require-end-mark.ts'

export interface Transfers {
  /** Undefined if the file does not arrive whole and in time. */
  downloadFile(name: string, deadline: AbortSignal): Promise<Uint8Array | undefined>
  /** The same as a stream; if the file is not whole, it ends in an error. */
  streamFile(name: string, deadline: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined>
  /** Whether the edge took the whole file. */
  uploadFile(name: string, body: ReadableStream<Uint8Array>, deadline: AbortSignal): Promise<boolean>
}

/** `edgeUrl`: the address that the link dials, as http. */
export function createTransfers(edgeUrl: string, hostToken: string, log: Log): Transfers {
  const headers = { authorization: `Bearer ${hostToken}` }
  const buildUrl = (name: string) => `${edgeUrl}/hosts/v1/parcel?name=${encodeURIComponent(name)}`
  const logFailure = (error: unknown) => log.warn({ err: error }, 'a transfer failed')

  return {
    async streamFile(name, signal) {
      try {
        const response = await fetch(buildUrl(name), { headers, signal })
        return response.ok ? response.body?.pipeThrough(requireEndMark()) : undefined
      } catch (error) {
        logFailure(error)
        return undefined
      }
    },
    async downloadFile(name, signal) {
      try {
        const response = await fetch(buildUrl(name), { headers, signal })
        const body = response.ok && response.body?.pipeThrough(requireEndMark())
        return body ? new Uint8Array(await new Response(body).arrayBuffer()) : undefined
      } catch (error) {
        logFailure(error)
        return undefined
      }
    },
    async uploadFile(name, body, signal) {
      try {
        const response = await fetch(buildUrl(name), { method: 'PUT', headers, body, signal, duplex: 'half' })
        await response.body?.cancel()
        return response.ok
      } catch (error) {
        logFailure(error)
        return false
      }
    },
  }
}
