// Temporary limits that the network sets on the account, stored so that they are known after a restart.

import type { LimitsPayload } from '@msgnet/shared/contract/change-envelopes.ts'
import { limits as contractLimits } from '@msgnet/shared/contract/limits.ts'
import { type AccountLimits, noLimits } from '@msgnet/shared/contract/responses/limit-responses.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Restriction } from '../driver/driver.ts'
import { createMutex } from '../process/mutex.ts'
import { deleteLimits, findLimits, storeLimits } from '../store/limit-store.ts'
import type { SessionDeps } from './session-deps.ts'

const MAX_RECENT = 20
/** The network does not say for how long, so it is the time that callers are asked to wait. */
const RATE_MS = contractLimits.limitedRetrySeconds * SECOND

/** Refusal codes that are about the account, not about the request. */
export const limitsByCode: Record<number, LimitsPayload['event']['kind']> = {
  429: 'rate_overlimit',
  463: 'reachout_timelock',
}

type LimitKind = LimitsPayload['event']['kind']

export class Limits {
  readonly #deps: Pick<SessionDeps, 'store' | 'log'>
  readonly #instance: string
  #known: AccountLimits | undefined
  /** Changes run one at a time, because each builds on the one before. */
  readonly #mutex = createMutex()

  constructor(deps: Pick<SessionDeps, 'store' | 'log'>, instance: string) {
    this.#deps = deps
    this.#instance = instance
  }

  /** The current limits; one that has ended is not active. */
  async readCurrent(): Promise<AccountLimits> {
    const stored = await this.#mutex(() => this.#readStored())
    const { reachout_timelock, rate_overlimit, new_chat_cap, recent } = stored
    return {
      reachout_timelock: expireLimit(reachout_timelock),
      rate_overlimit: expireLimit(rate_overlimit),
      new_chat_cap: new_chat_cap && expireLimit(new_chat_cap),
      recent,
    }
  }

  /** The end of the time lock on new chats; undefined when there is none, or its end is unknown. */
  async findTimeLockEnd(): Promise<number | undefined> {
    const { active, until } = (await this.readCurrent()).reachout_timelock
    return active && until > 0 ? until : undefined
  }

  /** A limit that the network reported, in an event or in a refusal. */
  recordLimit(kind: LimitKind, { active, until, total = 0, used = 0 }: Omit<Restriction, 'kind'>): void {
    this.#change((before) => {
      if (kind === 'new_chat_cap') return { ...before, new_chat_cap: { active, until, total, used } }
      if (kind === 'rate_overlimit')
        return { ...before, rate_overlimit: { active, until: until || Date.now() + RATE_MS } }
      // A refusal does not say until when, so an end that is already known stays.
      const { reachout_timelock: lock } = before
      const end = active && until === 0 && expireLimit(lock).active ? lock.until : until
      return { ...before, reachout_timelock: { active, until: end } }
    })
  }

  recordRefusal(action: string, provider_code: number): void {
    this.#change((before) => ({
      ...before,
      recent: [{ at: Date.now(), action, provider_code }, ...before.recent].slice(0, MAX_RECENT),
    }))
  }

  deleteAll(): Promise<void> {
    const { store } = this.#deps
    return this.#mutex(async () => {
      this.#known = noLimits
      await store.commitFor(this.#instance, [deleteLimits(store, this.#instance)])
    })
  }

  async #readStored(): Promise<AccountLimits> {
    this.#known ??= (await findLimits(this.#deps.store, this.#instance)) ?? noLimits
    return this.#known
  }

  #change(compute: (before: AccountLimits) => AccountLimits): void {
    const { store, log } = this.#deps
    this.#mutex(async () => {
      this.#known = compute(await this.#readStored())
      await store.commitFor(this.#instance, [storeLimits(store, this.#instance, this.#known)])
    }).catch((error) => log.error({ instance: this.#instance, error }, 'failed to store limits'))
  }
}

const expireLimit = <One extends { active: boolean; until: number }>(limit: One): One =>
  limit.active && limit.until > 0 && limit.until <= Date.now() ? { ...limit, active: false } : limit
