// Turns at work that many share: they go round the owners, so that one owner's queue is never another's wait.

import { MINUTE } from './date-time.ts'

/** The bounds of one kind of shared work. `docs/run/shared-costs.md` lists them all. */
export interface TurnLimits {
  /** Turns under way: of all owners. */
  maxUnderWay: number
  /** Of one owner, also while nobody waits: a turn is not interrupted, so a place for the next owner must be free before it comes. */
  maxUnderWayOfOne: number
  /** Of `maxUnderWay`, what only an owner without a turn under way may take: a few owners with long turns leave it to the others. */
  keptForIdle?: number
  /** Turns that wait: of all owners. */
  maxWaiting: number
  maxWaitingOfOne: number
  /** What one owner may use in a minute, in the unit in which `end` is told the cost (milliseconds, bytes); absent for no limit. */
  costPerMinute?: number
  /** What an owner has left at first, and saves up at most while it uses less; absent for that of a minute. */
  maxSavedCost?: number
}

/** `waiting`: too many turns wait. `cost`: the owner has used its minute. `time`: the signal was aborted before the turn came. */
export type TurnRefusalReason = 'waiting' | 'cost' | 'time'

/** The turn did not begin. A caller gets it as 429 with `Retry-After`. */
export class TurnRefused extends Error {
  readonly reason: TurnRefusalReason
  /** Milliseconds until a turn may be granted. */
  readonly waitMs: number

  constructor(reason: TurnRefusalReason, waitMs: number) {
    super(`no turn: ${reason}`)
    this.reason = reason
    this.waitMs = waitMs
  }
}

export interface Turn {
  /** Charges the owner while the turn goes on. Returns 0, or the milliseconds until the owner has something left again. */
  charge(cost: number): number
  /** Gives the place to the next, and charges the owner. Only the first call counts. */
  end(cost?: number): void
}

/** What metrics show of an owner that has turns, or was refused lately. */
export interface OwnerReading {
  owner: string
  underWay: number
  waiting: number
  /** Since the owner was first seen, in the unit of the limits. */
  cost: number
  refused: Record<TurnRefusalReason, number>
}

interface Owner {
  name: string
  underWay: number
  waiting: (() => void)[]
  /** What is left of its minute; below zero when the last turn cost more than was left. */
  balance: number
  filledAt: number
  /** The order of its last turn among all. */
  servedAt: number
  cost: number
  refused: Record<TurnRefusalReason, number>
  seenAt: number
}

/** A retry after a full queue: turns are short. */
const RETRY_MS = 1000
/** Owners without turns are removed after this, so that a scrape still sees what happened to them. */
const FORGET_AFTER_MS = 15 * MINUTE

export class FairTurns {
  readonly limits: TurnLimits
  readonly #now: () => number
  readonly #owners = new Map<string, Owner>()
  #underWay = 0
  #waiting = 0
  #served = 0
  #cost = 0
  #cleanedAt: number

  /** `now` in milliseconds, of a clock that does not run backwards. */
  constructor(limits: TurnLimits, now: () => number = () => performance.now()) {
    this.limits = limits
    this.#now = now
    this.#cleanedAt = now()
  }

  /** Resolves when it is this owner's turn. Throws TurnRefused; at once where its queue is full or its minute is used. */
  async takeTurn(owner: string, signal?: AbortSignal): Promise<Turn> {
    const own = this.#findOwner(owner)
    const wait = this.#computeWait(own)
    if (wait > 0) throw this.#refuse(own, 'cost', wait)
    if (signal?.aborted) throw this.#refuse(own, 'time', RETRY_MS)
    const { maxWaiting, maxWaitingOfOne } = this.limits
    if (this.#canBegin(own)) return this.#begin(own)
    if (this.#waiting >= maxWaiting || own.waiting.length >= maxWaitingOfOne)
      throw this.#refuse(own, 'waiting', RETRY_MS)
    return this.#waitForTurn(own, signal)
  }

  /** Of these owners, whose work waits elsewhere, the one whose turn is next; undefined if none of them has a place. */
  findNextOwner(names: Iterable<string>): string | undefined {
    let chosen: Pick<Owner, 'name' | 'underWay' | 'servedAt'> | undefined
    for (const name of names) {
      const owner = this.#owners.get(name) ?? { name, underWay: 0, servedAt: 0 }
      if (this.#canBegin(owner) && (!chosen || compareOwners(owner, chosen) < 0)) chosen = owner
    }
    return chosen?.name
  }

  /** A turn that begins now. Throws TurnRefused where `takeTurn` would wait. */
  takeTurnNow(owner: string): Turn {
    const own = this.#findOwner(owner)
    const wait = this.#computeWait(own)
    if (wait > 0) throw this.#refuse(own, 'cost', wait)
    if (!this.#canBegin(own)) throw this.#refuse(own, 'waiting', RETRY_MS)
    return this.#begin(own)
  }

  /** Runs `work` as a turn that costs its own time, in milliseconds. */
  async runTimed<Value>(owner: string, work: () => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    const turn = await this.takeTurn(owner, signal)
    const beganAt = this.#now()
    try {
      return await work()
    } finally {
      turn.end(this.#now() - beganAt)
    }
  }

  /** Charges an owner for what took no turn. Returns 0, or the milliseconds until it may use more. */
  charge(owner: string, cost: number): number {
    const own = this.#findOwner(owner)
    const wait = this.#computeWait(own)
    if (wait > 0) {
      this.#refuse(own, 'cost', wait)
      return wait
    }
    own.balance -= cost
    this.#countCost(own, cost)
    return 0
  }

  get underWay(): number {
    return this.#underWay
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Of all owners since the start. */
  get cost(): number {
    return this.#cost
  }

  listOwners(): OwnerReading[] {
    return [...this.#owners.values()].map(({ name, underWay, waiting, cost, refused }) => ({
      owner: name,
      underWay,
      waiting: waiting.length,
      cost,
      refused: { ...refused },
    }))
  }

  #findOwner(name: string): Owner {
    this.#removeIdle()
    const now = this.#now()
    const known = this.#owners.get(name)
    if (known) {
      known.seenAt = now
      return known
    }
    const owner: Owner = {
      name,
      underWay: 0,
      waiting: [],
      balance: this.#maxBalance,
      filledAt: now,
      servedAt: 0,
      cost: 0,
      refused: { waiting: 0, cost: 0, time: 0 },
      seenAt: now,
    }
    this.#owners.set(name, owner)
    return owner
  }

  get #maxBalance(): number {
    return this.limits.maxSavedCost ?? this.limits.costPerMinute ?? 0
  }

  /** 0 if the owner has something left. */
  #computeWait(owner: Owner): number {
    const { costPerMinute } = this.limits
    if (costPerMinute === undefined) return 0
    const now = this.#now()
    const refill = ((now - owner.filledAt) * costPerMinute) / MINUTE
    owner.balance = Math.min(this.#maxBalance, owner.balance + refill)
    owner.filledAt = now
    return owner.balance > 0 ? 0 : Math.max(1, Math.ceil((-owner.balance * MINUTE) / costPerMinute))
  }

  #canBegin(owner: Pick<Owner, 'underWay'>): boolean {
    const { maxUnderWay, maxUnderWayOfOne, keptForIdle = 0 } = this.limits
    const places = owner.underWay === 0 ? maxUnderWay : maxUnderWay - keptForIdle
    return this.#underWay < places && owner.underWay < maxUnderWayOfOne
  }

  #begin(owner: Owner): Turn {
    owner.underWay += 1
    this.#underWay += 1
    this.#served += 1
    owner.servedAt = this.#served
    let hasEnded = false
    const charge = (cost: number) => {
      owner.balance -= cost
      this.#countCost(owner, cost)
      return this.#computeWait(owner)
    }
    return {
      charge,
      end: (cost = 0) => {
        if (hasEnded) return
        hasEnded = true
        owner.underWay -= 1
        this.#underWay -= 1
        charge(cost)
        owner.seenAt = this.#now()
        this.#grantNext()
      },
    }
  }

  #countCost(owner: Owner, cost: number): void {
    owner.cost += cost
    this.#cost += cost
  }

  #refuse(owner: Owner, reason: TurnRefusalReason, waitMs: number): TurnRefused {
    owner.refused[reason] += 1
    return new TurnRefused(reason, waitMs)
  }

  #waitForTurn(owner: Owner, signal: AbortSignal | undefined): Promise<Turn> {
    const { promise, resolve, reject } = Promise.withResolvers<Turn>()
    const grant = () => {
      this.#waiting -= 1
      signal?.removeEventListener('abort', leave)
      // Earlier turns of the owner may have used its minute meanwhile.
      const wait = this.#computeWait(owner)
      if (wait > 0) reject(this.#refuse(owner, 'cost', wait))
      else resolve(this.#begin(owner))
    }
    const leave = () => {
      owner.waiting.splice(owner.waiting.indexOf(grant), 1)
      this.#waiting -= 1
      reject(this.#refuse(owner, 'time', RETRY_MS))
    }
    signal?.addEventListener('abort', leave, { once: true })
    owner.waiting.push(grant)
    this.#waiting += 1
    return promise
  }

  #grantNext(): void {
    for (;;) {
      const next = this.#chooseNext()
      if (!next) return
      next.waiting.shift()?.()
    }
  }

  /** Of those that wait, the owner with the fewest turns under way; of several, the one whose last turn is the longest ago. */
  #chooseNext(): Owner | undefined {
    let chosen: Owner | undefined
    for (const owner of this.#owners.values()) {
      if (owner.waiting.length === 0 || !this.#canBegin(owner)) continue
      if (!chosen || compareOwners(owner, chosen) < 0) chosen = owner
    }
    return chosen
  }

  /** Without it an owner that is forgotten would begin with more than it has. */
  #hasWholeBalance(owner: Owner): boolean {
    if (this.limits.costPerMinute === undefined) return true
    this.#computeWait(owner)
    return owner.balance >= this.#maxBalance
  }

  /** Strangers with many addresses must not fill the memory with what says nothing. */
  #isLikeNew(owner: Owner): boolean {
    return this.#hasWholeBalance(owner) && Object.values(owner.refused).every((count) => count === 0)
  }

  #removeIdle(): void {
    const now = this.#now()
    if (now - this.#cleanedAt < MINUTE) return
    this.#cleanedAt = now
    for (const [name, owner] of this.#owners) {
      const isIdle = owner.underWay === 0 && owner.waiting.length === 0
      const isOld = now - owner.seenAt > FORGET_AFTER_MS && this.#hasWholeBalance(owner)
      if (isIdle && (isOld || this.#isLikeNew(owner))) this.#owners.delete(name)
    }
  }
}

const compareOwners = (
  one: Pick<Owner, 'underWay' | 'servedAt'>,
  other: Pick<Owner, 'underWay' | 'servedAt'>,
): number => one.underWay - other.underWay || one.servedAt - other.servedAt
