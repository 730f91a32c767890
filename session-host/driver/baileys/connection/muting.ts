// A socket that is neither heard nor spoken on once the host's lease is over.

import type { WASocket } from 'baileys'
import type { Lease } from '../../../lease.ts'

type Callback = (error?: Error) => void

/**
 * A process that was frozen finds on its sockets what came meanwhile, and reads it before any timer can close them. The
 * library would decrypt it and tell the network that we have it, while another host is the one that has it.
 */
export function muteWithout(lease: Pick<Lease, 'runs'>, { ws }: WASocket): void {
  const emit = ws.emit.bind(ws)
  const send = ws.send.bind(ws)
  ws.emit = (event, ...args) => (event === 'message' && !lease.runs ? false : emit(event, ...args))
  ws.send = (data: string | Uint8Array, told?: Callback) => {
    if (lease.runs) return send(data, told)
    told?.(new Error('the lease is over'))
    return false
  }
}
