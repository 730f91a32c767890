// Counts the bytes of bodies that this isolate has in memory, of each token and in all. What would be over a limit is refused before it is read.

import { MIB, type TokenLimit } from '@msgnet/shared/contract/limits.ts'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import { type Env, readActionTimeout, readLimit } from '../settings/env.ts'
import { createLimitFault } from './quotas.ts'

/** A body of this size, as those of texts, is served while larger ones of others fill the memory: an eighth more is for them. */
const SMALL_BYTES = 64 * 1024
const SMALL_BODIES_SHARE = 1 / 8

/** Bytes are released as soon as a request ends, so a retry may soon succeed. */
const RETRY_AFTER_MS = 1000

/** The owner of the bytes: that of a token, or empty. */
export const formatHolder = (actor: { kind: string; id: string } | undefined): string =>
  actor ? `${actor.kind} ${actor.id}` : ''

let totalBytes = 0
const byHolder = new Map<string, number>()
const activeBodies = new Set<HeldBytes>()

/** Bytes of one body, from the moment when they may arrive until nothing refers to them. */
export class HeldBytes {
  readonly #env: Env
  readonly #holder: string
  #bytes = 0
  /** The runtime may stop a request whose caller has disconnected, and then its bytes are not released. */
  #until = 0

  /** `holder`: the owner of the token. */
  constructor(env: Env, holder: string) {
    this.#env = env
    this.#holder = holder
  }

  /** Throws, and counts nothing, if that is more than there may be. */
  reserveBytes(bytes: number): void {
    const isSmall = this.#bytes + bytes <= SMALL_BYTES
    checkLimits(this.#env, { holder: this.#holder, bytes, isSmall })
    this.#until = Date.now() + readActionTimeout(this.#env) + 2 * MINUTE
    this.#count(bytes)
    activeBodies.add(this)
  }

  release(): void {
    if (!activeBodies.delete(this)) return
    this.#count(-this.#bytes)
  }

  hasExpired(now: number): boolean {
    return this.#until <= now
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    totalBytes += bytes
    const own = (byHolder.get(this.#holder) ?? 0) + bytes
    if (own > 0) byHolder.set(this.#holder, own)
    else byHolder.delete(this.#holder)
  }
}

interface Reservation {
  holder: string
  bytes: number
  isSmall: boolean
}

function checkLimits(env: Env, reservation: Reservation): void {
  const exceeded = findExceeded(env, reservation)
  if (!exceeded) return
  const now = Date.now()
  for (const one of activeBodies) if (one.hasExpired(now)) one.release()
  if (!findExceeded(env, reservation)) return
  throw createLimitFault(exceeded, readLimit(env, exceeded), RETRY_AFTER_MS)
}

function findExceeded(env: Env, { holder, bytes, isSmall }: Reservation): TokenLimit | undefined {
  const own = (byHolder.get(holder) ?? 0) + bytes
  if (isOver(readLimit(env, 'INSTANCE_BODY_MB'), own)) return 'INSTANCE_BODY_MB'
  const maxMib = readLimit(env, 'BODY_MB') * (isSmall ? 1 + SMALL_BODIES_SHARE : 1)
  return isOver(maxMib, totalBytes + bytes) ? 'BODY_MB' : undefined
}

const isOver = (maxMib: number, bytes: number): boolean => maxMib > 0 && bytes > maxMib * MIB
