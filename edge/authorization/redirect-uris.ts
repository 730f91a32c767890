// Where a browser may be sent back to with a code: https, or a program on the person's own computer.

import { isLoopback } from '@msgnet/shared/loopback.ts'

const MAX_LENGTH = 500
/** What the answer adds (RFC 6749, 4.1.2; RFC 9207): of two the client could read the one that came with its address. */
const ANSWERED = ['code', 'state', 'iss', 'error', 'error_description', 'error_uri']

/** Undefined unless a code may be sent there at all. */
export function parseRedirectUri(text: string): URL | undefined {
  // The parser drops or changes these, and the text is compared and stored as it is.
  if (text.length > MAX_LENGTH || !/^https?:\/\/[!-~]+$/.test(text) || /[\\#]/.test(text)) return undefined
  const url = URL.parse(text)
  if (!url || url.username || url.password || ANSWERED.some((name) => url.searchParams.has(name)))
    return undefined
  return url.protocol === 'https:' || isLoopback(url.host) ? url : undefined
}

export const isLocalRedirect = ({ protocol, host }: URL): boolean => protocol === 'http:' && isLoopback(host)

/**
 * Exactly one of those that the client has named. A program on the person's computer listens at whatever port is free, so its port may be
 * another (RFC 8252, 7.3).
 */
export const isRegistered = (uri: string, registered: readonly string[]): boolean =>
  registered.includes(uri) || registered.some((one) => dropLocalPort(one) === dropLocalPort(uri))

function dropLocalPort(text: string): string {
  const url = parseRedirectUri(text)
  if (!url || !isLocalRedirect(url)) return text
  return text.replace(/^(http:\/\/(?:\[[^\]]*\]|[^:/?]*)):\d*/i, '$1')
}

/** The URI with these parameters added. It has no fragment. */
export function addParameters(uri: string, values: Record<string, string | undefined>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value !== undefined) query.set(name, value)
  return `${uri}${uri.includes('?') ? '&' : '?'}${query}`
}
