// Converts the end of a socket into a closing: the network's last stanza decides, or the library's error without one.

import type { BinaryNode } from 'baileys'
import type { Closing } from '../../driver.ts'

export const closingKindByCode: Record<number, Closing['kind']> = {
  401: 'logged_out',
  // Blocked for a time. An attempt before its end would be refused too, and count against the account.
  402: 'banned',
  403: 'banned',
  405: 'outdated',
  406: 'banned',
  411: 'mismatch',
  440: 'replaced',
  500: 'bad_session',
  515: 'restart',
}

/** The library's code for a device that the network disconnects with another stanza than an error. */
const DOWNGRADED = 411

/** How the network ended a stream or refused a login, in its own words. */
export interface StreamEnd {
  tag: 'stream:error' | 'failure'
  /** Undefined if it named none. */
  code: number | undefined
  /** The first child's tag and its `type`; empty without one. */
  child: string
  type: string
}

/** Undefined for any other stanza. */
export function readStreamEnd({ tag, attrs, content }: BinaryNode): StreamEnd | undefined {
  if (tag !== 'stream:error' && tag !== 'failure') return undefined
  const code = Number(tag === 'failure' ? attrs.reason : attrs.code)
  const [child] = Array.isArray(content) ? content : []
  return {
    tag,
    code: Number.isInteger(code) && code > 0 ? code : undefined,
    child: child?.tag ?? '',
    type: child?.attrs.type ?? '',
  }
}

/** `isReached`: a frame of the network arrived on this socket after its certificate was accepted. */
export function toClosing(error: unknown, isReached: boolean, streamEnd?: StreamEnd): Closing {
  const message = error instanceof Error ? error.message : 'closed'
  if (streamEnd) {
    const words = [streamEnd.tag, streamEnd.code, streamEnd.child].filter(Boolean).join(' ')
    return { ...classifyStreamEnd(streamEnd), message, networkWords: words }
  }
  const code = readStatusCode(error)
  if (!isReached) return { kind: 'unreachable', code, message }
  return { kind: code === DOWNGRADED ? 'mismatch' : 'lost', code, message }
}

/** By `type`, with or without a code. */
const conflictCodes: Record<string, number> = { device_removed: 401, replaced: 440 }

/** The library calls every error without a code a bad session, and every conflict a replaced connection. */
function classifyStreamEnd({ code = 0, child, type }: StreamEnd): Pick<Closing, 'kind' | 'code'> {
  const effectiveCode = (child === 'conflict' && conflictCodes[type]) || code
  return { kind: closingKindByCode[effectiveCode] ?? 'lost', code: effectiveCode }
}

function readStatusCode(error: unknown): number {
  if (typeof error === 'object' && error && 'output' in error) {
    const { statusCode } = error.output as { statusCode?: unknown }
    if (typeof statusCode === 'number') return statusCode
  }
  return 0
}
