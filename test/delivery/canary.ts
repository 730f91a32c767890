// A listener on every address of this machine that must never hear anything.

import { type AddressInfo, createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { isGlobalAddress } from '@msgnet/shared/addresses.ts'

export interface Canary {
  readonly port: number
  /** Connections so far. */
  readonly touched: number
  close(): void
}

export async function startCanary(): Promise<Canary> {
  let touched = 0
  const server = createServer((socket) => {
    touched++
    socket.destroy()
  })
  // The unspecified address of IPv6 takes IPv4 too.
  await new Promise<void>((resolve) => server.listen(0, '::', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    get touched() {
      return touched
    },
    close: () => server.close(),
  }
}

export const formatHost = (address: string): string => (address.includes(':') ? `[${address}]` : address)

/** Addresses of this machine beyond loopback that are no public ones, without those that need a scope. */
export const listOwnAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ internal, scopeid }) => !internal && !scopeid)
    .map(({ address }) => address)
    .filter((address) => isGlobalAddress(formatHost(address)) === false)
