// A proxy's URL taken apart, and which of them an instance may be given: judged when it is saved, and again where it is used.

import { whyNotPublic } from './addresses.ts'

export interface ProxyPlace {
  scheme: 'http' | 'https' | 'socks5'
  /** A name, dotted IPv4 or bracketed IPv6, whatever way it was spelled. */
  hostname: string
  port: number
  user: string
  password: string
}

const ports = { http: 80, https: 443, socks5: 1080 } as const
/** The lengths of both are told in one byte (RFC 1929). */
const SOCKS_BYTES = 255

/** Undefined for what is no proxy's URL: scheme, host and nothing behind them, user and password where it asks for them. */
export function placeOfProxy(text: string): ProxyPlace | undefined {
  // The parser drops blanks and control characters silently.
  if (!/^[\x21-\x7e]+$/.test(text) || !/^\w+:\/\/[^/]/.test(text)) return
  const url = URL.parse(text)
  const scheme = url?.protocol.slice(0, -1)
  if (!url || (scheme !== 'http' && scheme !== 'https' && scheme !== 'socks5')) return
  // As http: the parser leaves the hosts of schemes that it does not know as they were spelled.
  const hostname = URL.parse(`http://${url.host}`)?.hostname
  if (!hostname || !/^\/?$/.test(url.pathname + url.search + url.hash)) return
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === undefined || password === undefined) return
  if (scheme === 'socks5' && (bytes(user) > SOCKS_BYTES || bytes(password) > SOCKS_BYTES)) return
  return { scheme, hostname, port: url.port === '' ? ports[scheme] : Number(url.port), user, password }
}

/** Goes on behind "must". `local`: proxies may be on this machine or in its network. */
export function whyNoProxy({ hostname, port }: ProxyPlace, local: boolean): string | undefined {
  if (port < 1024 && port !== 80 && port !== 443) return 'have port 80, 443 or one above 1023'
  const why = local ? undefined : whyNotPublic(hostname)
  return why && `be on the public internet: ${why}`
}

/**
 * The password is shown to nobody. The user is where nothing but it can be meant: a name and a password without any other
 * sign that ends one of them.
 */
export function masked(url: string): string {
  const at = url.lastIndexOf('@')
  if (at < 0) return url
  const [, scheme = '', who = ''] = /^(\w+:\/\/)(.*)$/.exec(url.slice(0, at)) ?? []
  const [, user] = /^([\w.~-]+):[^:@/?#\\]+$/.exec(who) ?? []
  return `${scheme}${user === undefined ? '' : `${user}:`}***@${url.slice(at + 1)}`
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const bytes = (text: string): number => new TextEncoder().encode(text).length
