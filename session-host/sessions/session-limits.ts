// Temporary limits that the network sets on the account, stored so that they are known after a restart.

import type { LimitsPayload } from '../../shared/contract/change-envelopes.ts'
import { limits as contractLimits } from '../../shared/contract/limits.ts'
import { type AccountLimits, noLimits } from '../../shared/contract/responses/limit-responses.ts'
import { SECOND } from '../../shared/date-time.ts'
import type { Restriction } from '../driver/driver.ts'
import { createMutex } from '../mutex.ts'
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

export interface Limits {
  /** The current limits; one that has ended is not active. */
  readCurrent(): Promise<AccountLimits>
  /** The end of the time lock on new chats; undefined when there is none, or its end is unknown. */
  findTimeLockEnd(): Promise<number | undefined>
  /** A limit that the network reported, in an event or in a refusal. */
  recordLimit(kind: LimitsPayload['event']['kind'], restriction: Omit<Restriction, 'kind'>): void
  recordRefusal(action: string, code: number): void
  deleteAll(): Promise<void>
}

export function createLimits({ store, log }: SessionDeps, instance: string): Limits {
  const logFailure = (error: unknown) => log.error({ instance, err: error }, 'limits are not kept')
  let known: AccountLimits | undefined
  /** Changes run one at a time, because each builds on the one before. */
  const mutex = createMutex()

  async function readStored(): Promise<AccountLimits> {
    known ??= (await findLimits(store, instance)) ?? noLimits
    return known
  }
  const changeLimits = (compute: (before: AccountLimits) => AccountLimits) =>
    void mutex(async () => {
      known = compute(await readStored())
      await store.commitFor(instance, [storeLimits(store, instance, known)])
    }).catch(logFailure)

  async function readCurrent(): Promise<AccountLimits> {
    const { reachout_timelock, rate_overlimit, new_chat_cap, recent } = await mutex(readStored)
    return {
      reachout_timelock: expireLimit(reachout_timelock),
      rate_overlimit: expireLimit(rate_overlimit),
      new_chat_cap: new_chat_cap && expireLimit(new_chat_cap),
      recent,
    }
  }

  return {
    readCurrent,
    async findTimeLockEnd() {
      const { active, until } = (await readCurrent()).reachout_timelock
      return active && until > 0 ? until : undefined
    },
    recordLimit: (kind, { active, until, total = 0, used = 0 }) =>
      changeLimits((before) => {
        if (kind === 'new_chat_cap') return { ...before, new_chat_cap: { active, until, total, used } }
        if (kind === 'rate_overlimit')
          return { ...before, rate_overlimit: { active, until: until || Date.now() + RATE_MS } }
        // A refusal does not say until when, so an end that is already known stays.
        const { reachout_timelock: lock } = before
        const end = active && until === 0 && expireLimit(lock).active ? lock.until : until
        return { ...before, reachout_timelock: { active, until: end } }
      }),
    recordRefusal: (action, provider_code) =>
      changeLimits((before) => ({
        ...before,
        recent: [{ at: Date.now(), action, provider_code }, ...before.recent].slice(0, MAX_RECENT),
      })),
    deleteAll: () =>
      mutex(async () => {
        known = noLimits
        await store.commitFor(instance, [deleteLimits(store, instance)])
      }),
  }
}

const expireLimit = <One extends { active: boolean; until: number }>(limit: One): One =>
  limit.active && limit.until > 0 && limit.until <= Date.now() ? { ...limit, active: false } : limit
