// Tokens: a prefix that names the kind, and 256 random bits. Only their SHA-256 is stored.

const prefixes = {
  instance: 'mgi_',
  scoped: 'mgs_',
  admin: 'mga_',
  host: 'mgh_',
  link: 'mgl_',
  portal: 'mgp_',
  code: 'mgc_',
} as const

export const encodeBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '')

export const createToken = (kind: keyof typeof prefixes): string =>
  prefixes[kind] + encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)))

export const isScopedToken = (text: string): boolean => text.startsWith(prefixes.scoped)

const encoder = new TextEncoder()
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** A faster way than a loop, if the runtime has one. */
interface ToHex {
  toHex?(): string
}

/** SHA-256 as 64 hex digits. */
export async function hashSha256(text: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text
  const hash: Uint8Array & ToHex = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  if (hash.toHex) return hash.toHex()
  let digits = ''
  for (const byte of hash) digits += HEX[byte]
  return digits
}

/**
 * An id for a message to send, in the form of the network's own web client. The edge makes it before the act, so that the
 * caller knows the id of a send without an answer too.
 */
export const createMessageId = (): string =>
  `3EB0${Array.from(crypto.getRandomValues(new Uint8Array(9)), (b) => b.toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()}`
