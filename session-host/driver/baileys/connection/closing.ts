// Converts the library's error of an ended socket into a closing kind.

import type { Closing } from '../../driver.ts'

const kinds: Record<number, Closing['kind']> = {
  401: 'logged_out',
  403: 'banned',
  411: 'mismatch',
  440: 'replaced',
  500: 'bad_session',
  515: 'restart',
}

/** `reached`: a frame of the network arrived on this socket after its certificate was accepted. */
export function toClosing(thrown: unknown, reached: boolean): Closing {
  const message = thrown instanceof Error ? thrown.message : 'closed'
  const code = statusOf(thrown)
  if (!reached) return { kind: 'unreachable', code, message }
  // The library also uses 500 for a socket that failed without a code; only the network's own 500 is a bad session.
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

/** The library reports it as a conflict, like a replaced connection, if the stream error has no code. */
function deviceRemoved(thrown: unknown): boolean {
  const data = typeof thrown === 'object' && thrown && 'data' in thrown ? thrown.data : undefined
  const attrs = typeof data === 'object' && data && 'attrs' in data ? data.attrs : undefined
  return typeof attrs === 'object' && attrs !== null && 'type' in attrs && attrs.type === 'device_removed'
}
