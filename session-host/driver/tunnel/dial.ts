// A connection by a proxy: resolved and judged here, connected to what was judged, and given up as a whole.

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
  /** For all of it, in milliseconds. */
  within?: number
  resolve?: (hostname: string) => Promise<Address[]>
}

const WITHIN = 10 * SECOND
const resolveAll = (hostname: string) => lookup(hostname, { all: true })

/** Throws when the proxy does not bring us there in time; its socket is closed by then, as it is when `over` says so. */
export async function dial(
  proxy: string,
  target: Target,
  over: AbortSignal,
  terms: DialTerms,
): Promise<Socket> {
  const place = placeOfProxy(proxy)
  if (!place) throw new Error('this is no proxy')
  const limit = AbortSignal.any([over, AbortSignal.timeout(terms.within ?? WITHIN)])
  const addresses = await unless(limit, judged(place, terms))
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

/** One address that is not public refuses the name: which of them is taken is not ours to say. */
async function judged(place: ProxyPlace, { local, resolve = resolveAll }: DialTerms): Promise<Address[]> {
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
  // No name is resolved again: the addresses that were judged are the ones that are tried.
  const judgedOnly: LookupFunction = (_, { all }, callback) => {
    const [first = { address: '', family: 0 }] = addresses
    if (all) callback(null, addresses)
    else callback(null, first.address, first.family)
  }
  const host = hostname.replace(/^\[|\]$/g, '')
  const way = { host, port, lookup: judgedOnly }
  const socket =
    scheme === 'https' ? connectTls({ ...way, ...(isIP(host) ? {} : { servername: host }) }) : connect(way)
  // Whoever reads it next hears of an error by what it reads.
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
