// Numbers that a country writes in two forms: the account may be registered under the other one. Which one it was is cached.

import type { WASocket } from 'baileys'
import { extractPhone, PERSON_SUFFIX } from '../../../shared/jid.ts'
import type { NetworkOutcome, NumberCheck, Person } from '../driver.ts'
import { checkNumbers, findKnownIds, NO_ACCOUNT, NOT_MENTIONED } from './account-lookup.ts'
import type { InstanceCaches } from './connection/lasting-caches.ts'

/**
 * A longer form and the shorter one of the same line. Brazil put a 9 before its mobile numbers, which began with 6 to 9; Mexico
 * gave up the 1 of its mobile numbers; in Argentina the 9 says that a number is mobile, and is often left out.
 */
const doubles: { long: RegExp; short: RegExp; inserted: string }[] = [
  { long: /^(55\d\d)9([6-9]\d{7})$/, short: /^(55\d\d)([6-9]\d{7})$/, inserted: '9' },
  { long: /^(52)1(\d{10})$/, short: /^(52)(\d{10})$/, inserted: '1' },
  { long: /^(54)9(\d{10})$/, short: /^(54)(\d{10})$/, inserted: '9' },
]

/** The other form of a person's id; undefined where there is none. */
export function findOtherForm(jid: string): string | undefined {
  const digits = extractPhone(jid)
  for (const { long, short, inserted } of doubles) {
    const [, country, rest] = long.exec(digits) ?? []
    if (rest) return `${country}${rest}${PERSON_SUFFIX}`
    const [, before, line] = short.exec(digits) ?? []
    if (line) return `${before}${inserted}${line}${PERSON_SUFFIX}`
  }
  return undefined
}

export class NumberForms {
  readonly #sock: WASocket
  /** The registered form of numbers that have no account themselves. */
  readonly #cache: InstanceCaches['numberForms']

  constructor(sock: WASocket, cache: InstanceCaches['numberForms']) {
    this.#sock = sock
    this.#cache = cache
  }

  /** From stored mappings; of a number whose account has the other form, that account. */
  findKnownIds(jid: string): Promise<Person> {
    return findKnownIds(this.#sock, this.#cache.get(jid) ?? jid)
  }

  async findAccount(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<Person>> {
    const known = await this.findKnownIds(jid)
    if (!known.pn || known.lid) return { kind: 'done', value: known }
    const outcome = await this.checkNumbers([jid], deadline)
    if (outcome.kind !== 'done') return outcome
    const [found] = outcome.value
    if (found?.exists) return { kind: 'done', value: found.person }
    return found?.exists === false ? NO_ACCOUNT : NOT_MENTIONED
  }

  /** Both forms are in one request; the other one counts where the network does not know the one that was given. */
  async checkNumbers(jids: string[], deadline: AbortSignal): Promise<NetworkOutcome<NumberCheck[]>> {
    const others = new Map(jids.map((jid) => [jid, findOtherForm(jid)]))
    const requested = new Set([...jids, ...others.values()].filter((jid) => jid !== undefined))
    const outcome = await checkNumbers(this.#sock, [...requested], deadline)
    if (outcome.kind !== 'done') return outcome
    const checks = new Map(outcome.value.map((check) => [check.jid, check]))
    const value = jids.map((jid) => {
      const own = checks.get(jid)
      const other = checks.get(others.get(jid) ?? '')
      const check = own?.exists || !other?.exists ? own : other
      return { ...(check as NumberCheck), jid }
    })
    for (const check of value) this.#cacheForm(check)
    return { kind: 'done', value }
  }

  #cacheForm({ jid, exists, person }: NumberCheck): void {
    if (exists && person.pn && person.pn !== jid) this.#cache.set(jid, person.pn)
    else this.#cache.delete(jid)
  }
}
