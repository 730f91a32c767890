// Opens a connection through a proxy: resolves the proxy's name, checks its addresses, and connects to a checked one only.

import { lookup } from 'node:dns/promises'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isGlobalAddress } from '../../../shared/addresses.ts'
import { SECOND } from '../../../shared/clock.ts'
import { type ProxyPlace, placeOfProxy, whyNoProxy } from '../../../shared/proxy-place.ts'
import { askByHttp } from './http-connect.ts'
import { askBySocks } from './socks5.ts'
import type { Target } from './target.ts'

interface Address {
  address: string
  family: number
}

export interface DialTerms {
  /** Proxies may be on this machine or in its network. */
  local: boolean
  /** The limit for the whole of it, in milliseconds. */
  within?: number
  resolve?: (hostname: string) => Promise<Address[]>
}

const WITHIN = 10 * SECOND
const resolveAll = (hostname: string) => lookup(hostname, { all: true })

/** Throws when the proxy does not connect us in time or when `over` aborts; its socket is closed by then. */
export async function dial(
  proxy: string,
  target: Target,
  over: AbortSignal,
  terms: DialTerms,
): Promise<Socket> {
  const place = placeOfProxy(proxy)
  if (!place) throw new Error('this is no proxy')
  const limit = AbortSignal.any([over, AbortSignal.timeout(terms.within ?? WITHIN)])
  const addresses = await unless(limit, checked(place, terms))
  const socket = open(place, addresses)
  const giveUp = () => socket.destroy(new Error('the proxy was given up'))
  limit.addEventListener('abort', giveUp, { once: true })
  try {
    limit.throwIfAborted()
    await (place.scheme === 'socks5' ? askBySocks(socket, place, target) : askByHttp(socket, place, target))
    limit.throwIfAborted()
    return socket
  } catch (thrown) {
    socket.destroy()
    throw limit.aborted ? limit.reason : thrown
  } finally {
    limit.removeEventListener('abort', giveUp)
  }
}

/** A name with one address that is not public is refused, because any of its addresses may be used. */
async function checked(place: ProxyPlace, { local, resolve = resolveAll }: DialTerms): Promise<Address[]> {
  const why = whyNoProxy(place, local)
  if (why) throw new Error(`a proxy must ${why}`)
  const host = place.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  if (family) return [{ address: host, family }]
  const addresses = await resolve(host)
  const spelled = ({ address, family }: Address) => (family === 6 ? `[${address}]` : address)
  if (addresses.length === 0 || (!local && !addresses.every((found) => isGlobalAddress(spelled(found)))))
    throw new Error('the proxy has an address that is not a public one')
  return addresses
}

function open({ scheme, hostname, port }: ProxyPlace, addresses: Address[]): Socket {
  // The name is not resolved again: only the checked addresses are tried.
  const checkedOnly: LookupFunction = (_, { all }, callback) => {
    const [first = { address: '', family: 0 }] = addresses
    if (all) callback(null, addresses)
    else callback(null, first.address, first.family)
  }
  const host = hostname.replace(/^\[|\]$/g, '')
  const place = { host, port, lookup: checkedOnly }
  const socket =
    scheme === 'https'
      ? connectTls({ ...place, ...(isIP(host) ? {} : { servername: host }) })
      : connect(place)
  // The next reader of the socket gets the error from its read.
  socket.on('error', () => undefined)
  return socket
}

function unless<Value>(limit: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(limit.reason)
    if (limit.aborted) stop()
    limit.addEventListener('abort', stop, { once: true })
    work.then(resolve, reject).finally(() => limit.removeEventListener('abort', stop))
  })
}
