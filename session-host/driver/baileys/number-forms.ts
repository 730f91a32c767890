// Finds the account of a number that a country writes in two forms: it may be registered under the other one. Which one it was is cached.

import { findOtherForm } from '@msgnet/shared/number-spellings.ts'
import type { WASocket } from 'baileys'
import type { NetworkOutcome, NumberCheck, Person } from '../driver.ts'
import { checkNumbers, findKnownIds, NO_ACCOUNT, NOT_MENTIONED } from './account-lookup.ts'
import type { InstanceCaches } from './connection/lasting-caches.ts'

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
