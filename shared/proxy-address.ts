// Parses the URL of a proxy, and checks whether an instance may use it, when it is saved and again when it is used.

import { explainNonPublic } from './addresses.ts'

export interface ProxyAddress {
  scheme: 'http' | 'https' | 'socks5'
  /** A name, dotted IPv4 or bracketed IPv6, normalized. */
  hostname: string
  port: number
  user: string
  password: string
}

const ports = { http: 80, https: 443, socks5: 1080 } as const
/** The lengths of both are sent as one byte (RFC 1929). */
const MAX_SOCKS_BYTES = 255

/** Undefined if it is not a proxy's URL: scheme, host, optional user and password, and nothing after them. */
export function parseProxyUrl(text: string): ProxyAddress | undefined {
  // The parser drops blanks and control characters silently.
  if (!/^[\x21-\x7e]+$/.test(text) || !/^\w+:\/\/[^/]/.test(text)) return
  const url = URL.parse(text)
  const scheme = url?.protocol.slice(0, -1)
  if (!url || (scheme !== 'http' && scheme !== 'https' && scheme !== 'socks5')) return
  // Parsed as http, because the parser does not normalize the host of an unknown scheme.
  const hostname = URL.parse(`http://${url.host}`)?.hostname
  if (!hostname || !/^\/?$/.test(url.pathname + url.search + url.hash)) return
  const [user, password] = [tryDecode(url.username), tryDecode(url.password)]
  if (user === undefined || password === undefined) return
  if (scheme === 'socks5' && (countBytes(user) > MAX_SOCKS_BYTES || countBytes(password) > MAX_SOCKS_BYTES))
    return
  return { scheme, hostname, port: url.port === '' ? ports[scheme] : Number(url.port), user, password }
}

/** Continues a sentence after "must". `local`: proxies may be on this machine or in its network. */
export function explainProxyRefusal({ hostname, port }: ProxyAddress, local: boolean): string | undefined {
  if (port < 1024 && port !== 80 && port !== 443) return 'have port 80, 443 or one above 1023'
  const why = local ? undefined : explainNonPublic(hostname)
  return why && `be on the public internet: ${why}`
}

/**
 * The password is never shown. The user is shown only if it is certain where it ends: a name and a password without any
 * other separator in them.
 */
export function maskProxyUrl(url: string): string {
  const at = url.lastIndexOf('@')
  if (at < 0) return url
  const [, scheme = '', userInfo = ''] = /^(\w+:\/\/)(.*)$/.exec(url.slice(0, at)) ?? []
  const [, user] = /^([\w.~-]+):[^:@/?#\\]+$/.exec(userInfo) ?? []
  return `${scheme}${user === undefined ? '' : `${user}:`}***@${url.slice(at + 1)}`
}

function tryDecode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const countBytes = (text: string): number => new TextEncoder().encode(text).length
