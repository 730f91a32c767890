// Resolves names that others choose. The system's own way takes one of two threads until it ends, so that two names whose servers never answer would stop all who look for another.

import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { SECOND } from '../date-time.ts'

export interface Address {
  address: string
  family: number
}

const LIMITS = { timeout: 2 * SECOND, tries: 2 }

/** By the hosts file of the machine, else by its name servers. Throws if neither knows the name. */
export async function resolveName(name: string): Promise<Address[]> {
  const listed = await findInHosts(name)
  if (listed.length > 0) return listed
  // A new one each time knows the machine's present name servers.
  const resolver = new Resolver(LIMITS)
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const found = [four, six].flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  if (found.length === 0 && four.status === 'rejected') throw four.reason
  return found.map(toAddress)
}

const toAddress = (address: string): Address => ({ address, family: isIP(address) })

async function findInHosts(name: string): Promise<Address[]> {
  // Some containers have none.
  const text = await readFile('/etc/hosts', 'utf8').catch(() => '')
  const wanted = name.toLowerCase().replace(/\.$/, '')
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim().split(/\s+/))
  const addresses = lines.flatMap(([address = '', ...names]) =>
    names.some((one) => one.toLowerCase() === wanted) && isIP(address) ? [address] : [],
  )
  return addresses.map(toAddress)
}
