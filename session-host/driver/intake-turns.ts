// The turns of what networks send to the sessions of a host: one stanza of an instance and a kind at a time, each instance as fast as
// the bytes of its minute allow.

import { FairTurns, type Turn } from '@msgnet/shared/fair-turns.ts'

/** What a network sends and a session has to handle. */
export const STANZA_KINDS = ['message', 'receipt', 'notification', 'call'] as const
export type StanzaKind = (typeof STANZA_KINDS)[number]

/** Without a bound on all: a stanza that waits for its network holds up its own instance only. None is refused, since none may be lost. */
const PLACES = {
  maxUnderWay: Number.POSITIVE_INFINITY,
  maxUnderWayOfOne: 1,
  maxWaiting: Number.POSITIVE_INFINITY,
  maxWaitingOfOne: Number.POSITIVE_INFINITY,
}
/** A text without anything else takes as long to decrypt, store and report as this many bytes more of a large message. */
const MIN_STANZA_BYTES = 48 * 1024
/** Some 5,400 texts, or 330 messages of 800 kB: with either a processor is busy for 20 seconds. */
const COSTS = { costPerMinute: 256 * 1024 * 1024, maxSavedCost: 64 * 1024 * 1024 }

export class IntakeTurns {
  readonly #places: Record<StanzaKind, FairTurns>
  readonly #costs: FairTurns

  /** `costs`: in bytes. */
  constructor(costs = COSTS) {
    this.#costs = new FairTurns({ ...PLACES, ...costs })
    const places = STANZA_KINDS.map((kind) => [kind, new FairTurns(PLACES)] as const)
    this.#places = Object.fromEntries(places) as Record<StanzaKind, FairTurns>
  }

  /** Resolves when the stanzas of this kind that the instance got before have been handled. */
  takeTurn(kind: StanzaKind, instance: string): Promise<Turn> {
    return this.#places[kind].takeTurn(instance)
  }

  /** How long the next stanza has to wait after one of `bytes`. */
  chargeBytes(instance: string, bytes: number): number {
    return this.#costs.charge(instance, Math.max(bytes, MIN_STANZA_BYTES))
  }

  /** For metrics. */
  listWork(): Record<string, FairTurns> {
    const kinds = STANZA_KINDS.map((kind) => [`incoming_${kind}s`, this.#places[kind]] as const)
    return { ...Object.fromEntries(kinds), incoming: this.#costs }
  }
}
