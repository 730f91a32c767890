// What the library's older line needs to meet a network on the same machine.

import { Agent } from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
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
/** The library makes its keys by some calls like these, one after another: where the machine is busy they take longer than that. */
const LIKE_CALLS = 6

async function waitForKeys() {
  await wait(KEYS_READY_MS)
  for (let n = 0; n < LIKE_CALLS; n++) await crypto.subtle.digest('SHA-256', new Uint8Array(1))
}

/**
 * Its keys are ready some moments after it has sent the last part of the handshake, and what it reads before that is lost on it: a
 * network that is far away never answers so soon.
 */
export function delayResponses(ws: WASocket['ws']) {
  const emit = ws.emit.bind(ws)
  let hello = true
  let delayed: unknown[][] | undefined
  ws.emit = (event: string | symbol, ...args: unknown[]) => {
    if (event !== 'message') return emit(event, ...args)
    if (hello) {
      hello = false
      return emit(event, ...args)
    }
    if (delayed === undefined) {
      delayed = []
      void waitForKeys().then(() => {
        const waiting = delayed ?? []
        delayed = undefined
        ws.emit = emit
        for (const one of waiting) emit('message', ...one)
      })
    }
    delayed.push(args)
    return true
  }
}
