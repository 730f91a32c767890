// The table of what follows when a connection attempt ends, and how long to wait before the next one.

import type { DisconnectReason } from '@msgnet/shared/contract/instance-requests.ts'
import { HOUR, MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { createRefusal, type RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'
import { type Closing, closingKinds } from '../driver/driver.ts'

/** The credential when the socket ended: signed by the phone, or still being paired. */
export type CredentialState = 'linked' | 'pairing'

/**
 * How a connection attempt ended. `store_failed`: the host's own store failed before the network was asked, so there was no
 * socket; `storage` is a store that failed a socket which was open.
 */
export const attemptEndings = [...closingKinds, 'store_failed'] as const
export type AttemptEnding = (typeof attemptEndings)[number]

/**
 * The next attempt follows at once, after a wait (for the network, for the store, or for an operator who sets a newer version), or
 * only when a caller asks for it.
 */
export type NextState = 'connecting' | 'waiting' | 'waiting_for_store' | 'waiting_for_version' | 'ended'

export interface Transition {
  state: CredentialState
  event: AttemptEnding
  /** The row applies while fewer endings than this came in a row before it: of its kind, or of any kind. */
  fewerThan?: { alike: number } | { failures: number }
  next: NextState
  /** The session's `lastDisconnectReason`. */
  reason: DisconnectReason
  /** The device's keys are deleted. */
  forget?: true
}

/** 515 follows every pairing once; a network that keeps sending it is treated as one that is down. */
const buildRestarts = (state: CredentialState): Transition[] => [
  { state, event: 'restart', fewerThan: { alike: 3 }, next: 'connecting', reason: '' },
  { state, event: 'restart', next: 'waiting', reason: '' },
]

/** Final for both: another attempt would end the same way or, after `replaced`, the two devices would replace each other forever. */
const buildFinals = (state: CredentialState): Transition[] => [
  { state, event: 'banned', next: 'ended', reason: 'banned' },
  { state, event: 'mismatch', next: 'ended', reason: 'bad_session' },
  { state, event: 'replaced', next: 'ended', reason: 'replaced' },
  { state, event: 'pairing_expired', next: 'ended', reason: 'pairing_expired', forget: true },
  { state, event: 'passkey_required', next: 'ended', reason: 'passkey_required', forget: true },
]

/** The network was not asked, so nothing that it counts has happened, and nothing is known about the credential. */
const buildStoreFailure = (state: CredentialState): Transition => ({
  state,
  event: 'store_failed',
  next: 'waiting_for_store',
  reason: 'bad_session',
})

/** During a pairing these are temporary: they say nothing about the account. */
const temporary = (['logged_out', 'bad_session', 'storage', 'lost'] as const).flatMap(
  (event): Transition[] => [
    { state: 'pairing', event, fewerThan: { failures: 2 }, next: 'waiting', reason: '' },
    { state: 'pairing', event, next: 'ended', reason: 'unreachable', forget: true },
  ],
)

/** The first row that fits applies; `docs/code/reconnect.md` shows the table. */
export const transitions: readonly Transition[] = [
  ...buildRestarts('linked'),
  { state: 'linked', event: 'logged_out', next: 'ended', reason: 'logged_out', forget: true },
  ...buildFinals('linked'),
  { state: 'linked', event: 'bad_session', fewerThan: { alike: 2 }, next: 'waiting', reason: '' },
  { state: 'linked', event: 'bad_session', next: 'ended', reason: 'bad_session' },
  { state: 'linked', event: 'outdated', next: 'waiting_for_version', reason: 'outdated' },
  { state: 'linked', event: 'pairing_refused', next: 'waiting', reason: '' },
  { state: 'linked', event: 'unreachable', next: 'waiting', reason: 'unreachable' },
  { state: 'linked', event: 'storage', next: 'waiting', reason: 'bad_session' },
  { state: 'linked', event: 'lost', next: 'waiting', reason: '' },
  buildStoreFailure('linked'),
  ...buildRestarts('pairing'),
  ...buildFinals('pairing'),
  { state: 'pairing', event: 'outdated', next: 'ended', reason: 'outdated', forget: true },
  { state: 'pairing', event: 'pairing_refused', next: 'ended', reason: '', forget: true },
  { state: 'pairing', event: 'unreachable', next: 'ended', reason: 'unreachable', forget: true },
  ...temporary,
  buildStoreFailure('pairing'),
]

export interface Standing {
  /** The phone has signed the stored credential. */
  linked: boolean
  /** Sockets in a row, before this one, that ended without a login that lasted. */
  failures: number
  /** Endings of this kind in a row, before this one. `store_failed` is counted apart from the sockets. */
  alike: number
}

export type Decision =
  | { do: 'retry'; afterMs: number; reason: DisconnectReason }
  | { do: 'end'; reason: DisconnectReason; forget: boolean }

function isMatch({ state, event, fewerThan }: Transition, kind: AttemptEnding, standing: Standing): boolean {
  if (event !== kind || (state === 'linked') !== standing.linked) return false
  if (!fewerThan) return true
  return 'alike' in fewerThan ? standing.alike < fewerThan.alike : standing.failures < fewerThan.failures
}

export function findTransition({ kind }: { kind: AttemptEnding }, standing: Standing): Transition {
  const found = transitions.find((transition) => isMatch(transition, kind, standing))
  if (!found) throw new Error(`there is no transition for an attempt that ended by ${kind}`)
  return found
}

export function decideNext(ending: { kind: AttemptEnding }, standing: Standing): Decision {
  const { next, reason, forget = false } = findTransition(ending, standing)
  if (next === 'ended') return { do: 'end', reason, forget }
  return { do: 'retry', afterMs: waitBefore[next](standing), reason }
}

const waitBefore: Record<Exclude<NextState, 'ended'>, (standing: Standing) => number> = {
  connecting: () => 0,
  waiting: ({ failures }) => computeBackoffMs(failures),
  waiting_for_store: ({ alike }) => computeStoreBackoffMs(alike),
  waiting_for_version: ({ alike }) => computeVersionBackoffMs(alike),
}

/**
 * The failures that still count after a login. The login shows that the network takes this device, so the next wait is
 * seconds, not a minute; it does not show that the connection will last, so the count is not zero.
 */
export const countFailuresAfterLogin = (failures: number): number => Math.min(failures, 3)

/** Full jitter: a random wait below a limit that doubles from 1 s to 1 min. */
export const computeBackoffMs = (failures: number): number =>
  Math.random() * Math.min(MINUTE, SECOND * 2 ** Math.min(failures, 6))

/**
 * One second, plus a random wait below a limit that doubles from 1 s to 4 s: sessions use a recovered store soon, but not all
 * at once.
 */
export const computeStoreBackoffMs = (failures: number): number =>
  SECOND + Math.random() * SECOND * 2 ** Math.min(failures, 2)

/**
 * A quarter of an hour, then an hour each: the network has changed its mind within minutes, but as a rule it refuses
 * until the operator sets a newer version. Up to a minute more, so that not all sessions of a host connect at once.
 */
export const computeVersionBackoffMs = (failures: number): number =>
  (failures === 0 ? 15 * MINUTE : HOUR) + Math.random() * MINUTE

const notReached = createRefusal('msgnet_unreachable')
const NO_ACCOUNT = 404
const TOO_OFTEN = 429

/** Undefined where the session's state is the answer. Callers get it at once, even if attempts continue in the background. */
export function findObstacle(
  { kind, code }: Closing,
  decision: Decision,
  { loggedIn }: { loggedIn: boolean },
): RefusedOutcome | undefined {
  if (kind === 'pairing_refused') return refuseCode(code)
  if (loggedIn || kind === 'restart') return undefined
  if (decision.do === 'end') return decision.reason === 'unreachable' ? notReached : undefined
  return decision.reason === 'bad_session' ? undefined : notReached
}

/** The network gave no pairing code. */
function refuseCode(code: number): RefusedOutcome {
  if (code === NO_ACCOUNT) return createRefusal('not_on_network')
  if (code === TOO_OFTEN) return createRefusal('rate_limited', undefined, code)
  return createRefusal('operation_refused', 'The network gave no pairing code.', code)
}
