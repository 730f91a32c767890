// Temporary limits that the network sets on the account, stored so that they are known after a restart.

import { SECOND } from '../../shared/clock.ts'
import { type AccountLimits, noLimits } from '../../shared/contract/answers/limits.ts'
import type { LimitsPayload } from '../../shared/contract/change-envelopes.ts'
import { limits as contractLimits } from '../../shared/contract/version.ts'
import type { Restriction } from '../driver/driver.ts'
import { makeMutex } from '../mutex.ts'
import { findLimits, forgetLimits, keepLimits } from '../store/limits.ts'
import type { SessionDeps } from './deps.ts'

const RECENT = 20
/** The network does not say for how long, so it is the time that callers are asked to wait. */
const RATE_MS = contractLimits.limitedRetrySeconds * SECOND

/** Refusal codes that are about the account, not about the request. */
export const limitsOf: Record<number, LimitsPayload['event']['kind']> = {
  429: 'rate_overlimit',
  463: 'reachout_timelock',
}

export interface Limits {
  /** The current limits; one that has ended is not active. */
  now(): Promise<AccountLimits>
  /** The end of the time lock on new chats; undefined when there is none, or its end is unknown. */
  lockedUntil(): Promise<number | undefined>
  /** A limit that the network reported, in an event or in a refusal. */
  received(kind: LimitsPayload['event']['kind'], restriction: Omit<Restriction, 'kind'>): void
  refused(action: string, code: number): void
  forget(): Promise<void>
}

export function makeLimits({ store, log }: SessionDeps, instance: string): Limits {
  const failed = (thrown: unknown) => log.error({ instance, err: thrown }, 'limits are not kept')
  let known: AccountLimits | undefined
  /** Changes run one at a time, because each builds on the one before. */
  const mutex = makeMutex()

  async function read(): Promise<AccountLimits> {
    known ??= (await findLimits(store, instance)) ?? noLimits
    return known
  }
  const change = (changed: (before: AccountLimits) => AccountLimits) =>
    void mutex(async () => {
      known = changed(await read())
      await store.commitFor(instance, [keepLimits(store, instance, known)])
    }).catch(failed)

  async function now(): Promise<AccountLimits> {
    const { reachout_timelock, rate_overlimit, new_chat_cap, recent } = await mutex(read)
    return {
      reachout_timelock: current(reachout_timelock),
      rate_overlimit: current(rate_overlimit),
      new_chat_cap: new_chat_cap && current(new_chat_cap),
      recent,
    }
  }

  return {
    now,
    async lockedUntil() {
      const { active, until } = (await now()).reachout_timelock
      return active && until > 0 ? until : undefined
    },
    received: (kind, { active, until, total = 0, used = 0 }) =>
      change((before) => {
        if (kind === 'new_chat_cap') return { ...before, new_chat_cap: { active, until, total, used } }
        if (kind === 'rate_overlimit')
          return { ...before, rate_overlimit: { active, until: until || Date.now() + RATE_MS } }
        // A refusal does not say until when, so an end that is already known stays.
        const { reachout_timelock: lock } = before
        const end = active && until === 0 && current(lock).active ? lock.until : until
        return { ...before, reachout_timelock: { active, until: end } }
      }),
    refused: (action, provider_code) =>
      change((before) => ({
        ...before,
        recent: [{ at: Date.now(), action, provider_code }, ...before.recent].slice(0, RECENT),
      })),
    forget: () =>
      mutex(async () => {
        known = noLimits
        await store.commitFor(instance, [forgetLimits(store, instance)])
      }),
  }
}

const current = <One extends { active: boolean; until: number }>(limit: One): One =>
  limit.active && limit.until > 0 && limit.until <= Date.now() ? { ...limit, active: false } : limit
