// Counts the bytes of bodies that this isolate has in memory, of each token and in all. What would be over a limit is refused before it is read.

import { MINUTE } from '../shared/clock.ts'
import { MIB, type TokenLimit } from '../shared/contract/version.ts'
import { actionTimeout, type Env, readLimit } from './env.ts'
import { overLimit } from './quotas.ts'

/** Bytes are let go as soon as a request ends, so it is worth while to ask again soon. */
const ASK_AGAIN_MS = 1000

/** Whose bytes they are: of a token's owner, or of nobody in particular. */
export const nameHolder = (actor: { kind: string; id: string } | undefined): string =>
  actor ? `${actor.kind} ${actor.id}` : ''

let inAll = 0
const byHolder = new Map<string, number>()
const held = new Set<HeldBytes>()

/** Bytes of one body, from the moment when they may arrive until nothing refers to them. */
export class HeldBytes {
  readonly #env: Env
  readonly #holder: string
  #bytes = 0
  /** The runtime may stop a request whose caller has left, and then nobody lets its bytes go. */
  #until = 0

  /** `holder`: whose token it is. */
  constructor(env: Env, holder: string) {
    this.#env = env
    this.#holder = holder
  }

  /** Throws, and counts nothing, if that is more than there may be. */
  add(bytes: number): void {
    refuseMore(this.#env, this.#holder, bytes)
    this.#until = Date.now() + actionTimeout(this.#env) + 2 * MINUTE
    this.#count(bytes)
    held.add(this)
  }

  release(): void {
    if (!held.delete(this)) return
    this.#count(-this.#bytes)
  }

  isForgotten(now: number): boolean {
    return this.#until <= now
  }

  #count(bytes: number): void {
    this.#bytes += bytes
    inAll += bytes
    const own = (byHolder.get(this.#holder) ?? 0) + bytes
    if (own > 0) byHolder.set(this.#holder, own)
    else byHolder.delete(this.#holder)
  }
}

function refuseMore(env: Env, holder: string, bytes: number): void {
  const exceeded = findExceeded(env, holder, bytes)
  if (!exceeded) return
  const now = Date.now()
  for (const one of held) if (one.isForgotten(now)) one.release()
  if (!findExceeded(env, holder, bytes)) return
  throw overLimit(exceeded, readLimit(env, exceeded), ASK_AGAIN_MS)
}

function findExceeded(env: Env, holder: string, bytes: number): TokenLimit | undefined {
  const own = (byHolder.get(holder) ?? 0) + bytes
  if (isOver(readLimit(env, 'INSTANCE_BODY_MB'), own)) return 'INSTANCE_BODY_MB'
  return isOver(readLimit(env, 'BODY_MB'), inAll + bytes) ? 'BODY_MB' : undefined
}

const isOver = (atMostMib: number, bytes: number): boolean => atMostMib > 0 && bytes > atMostMib * MIB
