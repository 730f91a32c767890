// Why the library says a socket ended, in the gateway's words.

import type { Closing } from '../../driver.ts'

const kinds: Record<number, Closing['kind']> = {
  401: 'logged_out',
  403: 'banned',
  411: 'mismatch',
  440: 'replaced',
  500: 'bad_session',
  515: 'restart',
}

/** `reached`: the network had spoken on this socket after its certificate was accepted. */
export function toClosing(thrown: unknown, reached: boolean): Closing {
  const message = thrown instanceof Error ? thrown.message : 'closed'
  const code = statusOf(thrown)
  if (message.startsWith('QR refs')) return { kind: 'pairing_expired', code, message }
  if (!reached) return { kind: 'unreachable', code, message }
  // The library also says 500 of a socket that broke in an unnamed way; a bad session is what the network calls one.
  if (message.startsWith('WebSocket Error')) return { kind: 'lost', code, message }
  if (deviceRemoved(thrown)) return { kind: 'logged_out', code, message }
  return { kind: kinds[code] ?? 'lost', code, message }
}

function statusOf(thrown: unknown): number {
  if (typeof thrown === 'object' && thrown && 'output' in thrown) {
    const { statusCode } = thrown.output as { statusCode?: unknown }
    if (typeof statusCode === 'number') return statusCode
  }
  return 0
}

/** Told as a conflict, like a replaced connection, when the stream error carries no code of its own. */
function deviceRemoved(thrown: unknown): boolean {
  const data = typeof thrown === 'object' && thrown && 'data' in thrown ? thrown.data : undefined
  const attrs = typeof data === 'object' && data && 'attrs' in data ? data.attrs : undefined
  return typeof attrs === 'object' && attrs !== null && 'type' in attrs && attrs.type === 'device_removed'
}
