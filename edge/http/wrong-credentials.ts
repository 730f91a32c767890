// Requests without a valid credential: counted by address, and logged once a minute for each, so that nobody can flush the log.

import type { Context } from 'hono'
import { MINUTE } from '../../shared/clock.ts'
import type { EdgeEnv } from '../context.ts'
import type { Env } from '../env.ts'
import { log } from '../log.ts'
import { count, merge } from '../metrics.ts'

/** Addresses that are told apart; what comes from more of them is summed. */
const ADDRESSES = 100
const OTHERS = 'others'

interface Seen {
  unlogged: number
  loggedAt: number
}

// Of the isolate.
const seen = new Map<string, Seen>()

export function noteWrongCredential(c: Context<EdgeEnv>): void {
  const address = clientAddress(c)
  const name = seen.has(address) || makeRoom() ? address : OTHERS
  const known = seen.get(name) ?? { unlogged: 0, loggedAt: 0 }
  seen.set(name, known)
  known.unlogged++
  count('edge_wrong_credentials_total', { address: name })
  tell(c.env, name, known)
}

/** Those whose minute is over, for the minute's tick. */
export function tellWrongCredentials(env: Env): void {
  for (const [address, known] of seen) tell(env, address, known)
}

function tell(env: Env, address: string, known: Seen): void {
  if (known.unlogged === 0 || Date.now() - known.loggedAt < MINUTE) return
  log(env, 'warn', 'wrong credentials', { address, count: known.unlogged })
  known.unlogged = 0
  known.loggedAt = Date.now()
}

/** Takes the place of an address that has been quiet for a minute. */
function makeRoom(): boolean {
  if (seen.size < ADDRESSES) return true
  const isQuiet = ([address, { unlogged, loggedAt }]: [string, Seen]) =>
    address !== OTHERS && unlogged === 0 && Date.now() - loggedAt >= MINUTE
  const [quiet] = [...seen].find(isQuiet) ?? []
  if (quiet === undefined) return false
  merge('edge_wrong_credentials_total', { address: quiet }, { address: OTHERS })
  return seen.delete(quiet)
}

const ADDRESS = /^[0-9a-f:.]{2,45}$/i

/**
 * Where the connection comes from, as the runtime says. A header is believed only if the operator has named it, and then
 * its last value, which the nearest proxy has written.
 */
function clientAddress(c: Context<EdgeEnv>): string {
  const named = c.env.CLIENT_ADDRESS_HEADER
  const peer = (c.req.raw.cf as { clientIp?: string } | undefined)?.clientIp ?? ''
  const told = named ? c.req.header(named)?.split(',').at(-1)?.trim() : peer.replace(/:\d+$/, '')
  const address = (told ?? '').replace(/^\[|\]$/g, '')
  return ADDRESS.test(address) ? address : 'unknown'
}
