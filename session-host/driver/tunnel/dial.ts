// Opens a connection through a proxy: resolves the proxy's name, checks its addresses, and connects to a checked one only.

import { lookup } from 'node:dns/promises'
import { connect, isIP, type LookupFunction, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { isGlobalAddress } from '@msgnet/shared/addresses.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { type Address, resolveName } from '@msgnet/shared/node/resolve-name.ts'
import { explainProxyRefusal, type ProxyAddress, parseProxyUrl } from '@msgnet/shared/proxy-address.ts'
import { connectByHttp } from './http-connect.ts'
import { connectBySocks } from './socks5.ts'
import type { Target } from './target.ts'

export interface DialOptions {
  /** Proxies may be on this machine or in its network. */
  local: boolean
  /** The limit for the whole of it, in milliseconds. */
  timeoutMs?: number
  resolve?: (hostname: string) => Promise<Address[]>
}

const TIMEOUT_MS = 10 * SECOND
/** Names of the machine's own network are known to the system only. */
const resolveLocal = (hostname: string) => lookup(hostname, { all: true })

/** Throws when the proxy does not connect in time or when `signal` aborts; its socket is closed by then. */
export async function dialProxy(
  proxy: string,
  target: Target,
  signal: AbortSignal,
  options: DialOptions,
): Promise<Socket> {
  const place = parseProxyUrl(proxy)
  if (!place) throw new Error('this is no proxy')
  const limit = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)])
  const addresses = await rejectOnAbort(limit, resolveProxy(place, options))
  const socket = connectToProxy(place, addresses)
  const destroySocket = () => socket.destroy(new Error('the proxy was given up'))
  limit.addEventListener('abort', destroySocket, { once: true })
  try {
    limit.throwIfAborted()
    await (place.scheme === 'socks5'
      ? connectBySocks(socket, place, target)
      : connectByHttp(socket, place, target))
    limit.throwIfAborted()
    return socket
  } catch (error) {
    socket.destroy()
    throw limit.aborted ? limit.reason : error
  } finally {
    limit.removeEventListener('abort', destroySocket)
  }
}

/** A name with one address that is not public is refused, because any of its addresses may be used. */
async function resolveProxy(
  place: ProxyAddress,
  { local, resolve = local ? resolveLocal : resolveName }: DialOptions,
): Promise<Address[]> {
  const reason = explainProxyRefusal(place, local)
  if (reason) throw new Error(`a proxy must ${reason}`)
  const host = place.hostname.replace(/^\[|\]$/g, '')
  const family = isIP(host)
  if (family) return [{ address: host, family }]
  const addresses = await resolve(host)
  const formatAddress = ({ address, family }: Address) => (family === 6 ? `[${address}]` : address)
  if (
    addresses.length === 0 ||
    (!local && !addresses.every((found) => isGlobalAddress(formatAddress(found))))
  )
    throw new Error('the proxy has an address that is not a public one')
  return addresses
}

function connectToProxy({ scheme, hostname, port }: ProxyAddress, addresses: Address[]): Socket {
  // The name is not resolved again: only the checked addresses are tried.
  const lookupChecked: LookupFunction = (_, { all }, callback) => {
    const [first = { address: '', family: 0 }] = addresses
    if (all) callback(null, addresses)
    else callback(null, first.address, first.family)
  }
  const host = hostname.replace(/^\[|\]$/g, '')
  const place = { host, port, lookup: lookupChecked }
  const socket =
    scheme === 'https'
      ? connectTls({ ...place, ...(isIP(host) ? {} : { servername: host }) })
      : connect(place)
  // The next reader of the socket gets the error from its read.
  socket.on('error', () => undefined)
  return socket
}

function rejectOnAbort<Value>(limit: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const rejectWork = () => reject(limit.reason)
    if (limit.aborted) rejectWork()
    limit.addEventListener('abort', rejectWork, { once: true })
    work.then(resolve, reject).finally(() => limit.removeEventListener('abort', rejectWork))
  })
}
