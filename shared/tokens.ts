// Bearer credentials: a speaking prefix and 256 random bits. Only their SHA-256 is ever stored.

const prefixes = { instance: 'mgi_', admin: 'mga_', host: 'mgh_' } as const

export const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '')

export const makeToken = (whose: keyof typeof prefixes): string =>
  prefixes[whose] + base64url(crypto.getRandomValues(new Uint8Array(32)))

const encoder = new TextEncoder()
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Where the runtime has better than a loop. */
interface ToHex {
  toHex?(): string
}

/** SHA-256 as 64 hex digits. */
export async function digest(text: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text
  const hash: Uint8Array & ToHex = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  if (hash.toHex) return hash.toHex()
  let digits = ''
  for (const byte of hash) digits += HEX[byte]
  return digits
}

/**
 * An id for a message that we are about to send, in the form that the network's own web client makes.
 * The edge makes it before anything is asked, so that an unanswered send can still be named.
 */
export const makeMessageId = (): string =>
  `3EB0${Array.from(crypto.getRandomValues(new Uint8Array(9)), (b) => b.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()}`
