// What the library's older line needs to meet a network on the same machine.

import { Agent } from 'node:https'
import { type ConnectionOptions, connect } from 'node:tls'
import type { WASocket } from 'baileys-6'

/** The library downloads from the network's own host, whatever a message says: that name leads to this host. */
export class MediaHost extends Agent {
  readonly #place: URL

  constructor(place: string) {
    super()
    this.#place = new URL(`https://${place}`)
  }

  override createConnection(options: ConnectionOptions) {
    const { hostname: host, port } = this.#place
    return connect({ ...options, host, port: Number(port), servername: '' })
  }
}

const KEYS_READY_MS = 50

/**
 * Its keys are ready some moments after it has sent the last part of the handshake, and what it reads before that is lost on it: a
 * network that is far away never answers so soon.
 */
export function delayAnswers(ws: WASocket['ws']) {
  const emit = ws.emit.bind(ws)
  let hello = true
  let held: unknown[][] | undefined
  ws.emit = (event: string | symbol, ...args: unknown[]) => {
    if (event !== 'message') return emit(event, ...args)
    if (hello) {
      hello = false
      return emit(event, ...args)
    }
    if (held === undefined) {
      held = []
      setTimeout(() => {
        const waiting = held ?? []
        held = undefined
        ws.emit = emit
        for (const one of waiting) emit('message', ...one)
      }, KEYS_READY_MS)
    }
    held.push(args)
    return true
  }
}
