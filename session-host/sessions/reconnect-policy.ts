// What follows when a socket to the network has ended, or could not be opened: a table of states and events, and how long to wait.

import { MINUTE, SECOND } from '../../shared/clock.ts'
import type { DisconnectReason } from '../../shared/contract/instance.ts'
import { closingKinds } from '../driver/driver.ts'

/** What the session was when its socket ended: with a credential that the phone has signed, or still being paired. */
export type CredentialState = 'linked' | 'pairing'

/**
 * How a connection attempt ended. `store_failed`: the host's own store failed before the network was asked, so there was no
 * socket; `storage` is a store that failed a socket which was open.
 */
export const attemptEndings = [...closingKinds, 'store_failed'] as const
export type AttemptEnding = (typeof attemptEndings)[number]

/** A socket is opened at once, or after a wait (for the network, or for the store); or there is none until somebody asks for it. */
export type NextState = 'connecting' | 'waiting' | 'waiting_for_store' | 'ended'

export interface Transition {
  state: CredentialState
  event: AttemptEnding
  /** Only as long as so many endings before this one, in a row, are fewer: of its kind, or of any. The next row counts after that. */
  fewerThan?: { alike: number } | { failures: number }
  next: NextState
  /** What the session shows as `lastDisconnectReason`. */
  reason: DisconnectReason
  /** The device's keys are forgotten. */
  forget?: true
}

/** 515 follows every pairing once; a network that keeps saying it is treated as one that is down. */
const restarts = (state: CredentialState): Transition[] => [
  { state, event: 'restart', fewerThan: { alike: 3 }, next: 'connecting', reason: '' },
  { state, event: 'restart', next: 'waiting', reason: '' },
]

/** The same for both: asked for again it would end the same way, or, where another took the place, go on for ever. */
const finals = (state: CredentialState): Transition[] => [
  { state, event: 'banned', next: 'ended', reason: 'banned' },
  { state, event: 'mismatch', next: 'ended', reason: 'bad_session' },
  { state, event: 'replaced', next: 'ended', reason: 'replaced' },
  { state, event: 'pairing_expired', next: 'ended', reason: 'pairing_expired', forget: true },
]

/** The network was not asked: nothing that it counts has happened, and it says nothing of the credential. */
const storeFailed = (state: CredentialState): Transition => ({
  ...{ state, event: 'store_failed', next: 'waiting_for_store', reason: 'bad_session' },
})

/** While a device is being paired these are hitches: what it was told says nothing of the account. */
const hitches = (['logged_out', 'bad_session', 'storage', 'lost'] as const).flatMap((event): Transition[] => [
  { state: 'pairing', event, fewerThan: { failures: 2 }, next: 'waiting', reason: '' },
  { state: 'pairing', event, next: 'ended', reason: 'unreachable', forget: true },
])

/** The first row that fits counts; `docs/reconnect.md` shows it. */
export const transitions: readonly Transition[] = [
  ...restarts('linked'),
  { state: 'linked', event: 'logged_out', next: 'ended', reason: 'logged_out', forget: true },
  ...finals('linked'),
  { state: 'linked', event: 'bad_session', fewerThan: { alike: 2 }, next: 'waiting', reason: '' },
  { state: 'linked', event: 'bad_session', next: 'ended', reason: 'bad_session' },
  { state: 'linked', event: 'unreachable', next: 'waiting', reason: 'unreachable' },
  { state: 'linked', event: 'storage', next: 'waiting', reason: 'bad_session' },
  { state: 'linked', event: 'lost', next: 'waiting', reason: '' },
  storeFailed('linked'),
  ...restarts('pairing'),
  ...finals('pairing'),
  { state: 'pairing', event: 'unreachable', next: 'ended', reason: 'unreachable', forget: true },
  ...hitches,
  storeFailed('pairing'),
]

export interface Standing {
  /** The stored credential is one that the phone has signed. */
  linked: boolean
  /** Sockets in a row that ended without a login that lasted, this one not counted. */
  failures: number
  /** The last endings, this one not counted, that were of its kind. Those by `store_failed` are counted apart from the sockets'. */
  alike: number
}

export type Verdict =
  | { do: 'retry'; afterMs: number; reason: DisconnectReason }
  | { do: 'end'; reason: DisconnectReason; forget: boolean }

function fits({ state, event, fewerThan }: Transition, kind: AttemptEnding, standing: Standing): boolean {
  if (event !== kind || (state === 'linked') !== standing.linked) return false
  if (!fewerThan) return true
  return 'alike' in fewerThan ? standing.alike < fewerThan.alike : standing.failures < fewerThan.failures
}

export function transitionOf({ kind }: { kind: AttemptEnding }, standing: Standing): Transition {
  const found = transitions.find((transition) => fits(transition, kind, standing))
  if (!found) throw new Error(`nothing is said of an attempt that ended by ${kind}`)
  return found
}

export function judge(ending: { kind: AttemptEnding }, standing: Standing): Verdict {
  const { next, reason, forget = false } = transitionOf(ending, standing)
  if (next === 'ended') return { do: 'end', reason, forget }
  return { do: 'retry', afterMs: waitBefore[next](standing), reason }
}

const waitBefore: Record<Exclude<NextState, 'ended'>, (standing: Standing) => number> = {
  connecting: () => 0,
  waiting: ({ failures }) => backoffMs(failures),
  waiting_for_store: ({ alike }) => storeBackoffMs(alike),
}

/**
 * What counts of the failures before a login: it shows that the network takes this device, so the next wait is seconds,
 * not a minute; but not that it will last, so it is not the first.
 */
export const failuresAfterLogin = (failures: number): number => Math.min(failures, 3)

/** Full jitter: anything between nothing and a limit that doubles from 1 s to 1 min. */
export const backoffMs = (failures: number): number =>
  Math.random() * Math.min(MINUTE, SECOND * 2 ** Math.min(failures, 6))

/**
 * A second, and anything up to a limit that doubles from 1 s to 4 s: a store that is there again is used soon, and not by all
 * sessions of the host at once.
 */
export const storeBackoffMs = (failures: number): number =>
  SECOND + Math.random() * SECOND * 2 ** Math.min(failures, 2)
