// The end of an act, alike for one that its caller awaits, one that nobody awaits, and a message that was due.

import type { FaultName } from '@msgnet/shared/fault-table.ts'
import {
  createRefusal,
  createUnknownOutcome,
  type Outcome,
  type RefusedOutcome,
  type UnknownOutcome,
} from '@msgnet/shared/wire/outcome.ts'
import { ConnectionEnded } from '../driver/network-outcome.ts'
import type { Log } from '../process/host-log.ts'
import { findStoreFault } from '../process/store-fault.ts'
import type { Session } from '../sessions/host-session.ts'
import { type Fence, FencedError } from '../store/fenced-store.ts'
import { ReadRefused } from '../store/heavy-reads.ts'

/**
 * The outcome of an act whose action threw. The network's failures are outcomes, so an exception comes from our own store or from a fault in
 * the code. `hasLeft`: something of its effect has left.
 */
export function createThrownOutcome(
  error: unknown,
  { hasLeft, log }: { hasLeft: boolean; log: Log },
): RefusedOutcome | UnknownOutcome {
  if (error instanceof ConnectionEnded) return createUnknownOutcome(error.message)
  if (error instanceof FencedError && !hasLeft) return fences[error.fence]
  if (error instanceof ReadRefused && !hasLeft)
    return { ...createRefusal('quota_reached', error.message), waitMs: error.waitMs }
  log.error({ error }, 'action failed')
  if (hasLeft)
    return createUnknownOutcome('The network was asked, and what became of it could not be stored.')
  return refuseByStore(error)
}

const fences: Record<Fence, RefusedOutcome> = {
  deleted: createRefusal('instance_not_found'),
  'held elsewhere': createRefusal('session_owned_elsewhere'),
  'no lease': createRefusal(
    'msgnet_unreachable',
    'The session host is not linked; nothing of this was sent.',
  ),
}

/** For what the store did not take. */
export const refuseByStore = (error: unknown): RefusedOutcome =>
  error instanceof FencedError
    ? fences[error.fence]
    : createRefusal('storage_unavailable', findStoreFault(error)?.message)

/** Refusals for the state or the connection of an instance. If it is no longer on this host, that is the reason. */
const faultsOfState: FaultName[] = [
  ...(['not_connected', 'msgnet_unreachable', 'session_conflict', 'storage_unavailable'] as const),
]

/**
 * The outcome of an act whose instance was deleted or went to another host meanwhile. One that had begun, and whose connection ended with the
 * deletion, is not connected (contract, "What is known is never unknown").
 */
export function limitToFence<Result>(outcome: Outcome<Result>, fence: Fence | undefined): Outcome<Result> {
  if (!fence || outcome.kind !== 'refused' || !faultsOfState.includes(outcome.fault)) return outcome
  return fence === 'deleted' && outcome.fault === 'not_connected' ? outcome : fences[fence]
}

const CUT_BY_DELETION =
  'The instance was deleted before the network answered; it is not known whether the request took effect.'

/** What is unknown because the deletion of the instance has ended its connection says so. */
export const explainUnknown = <Result>(outcome: Outcome<Result>, isDeleted: boolean): Outcome<Result> =>
  isDeleted && outcome.kind === 'unknown' ? { message: CUT_BY_DELETION, ...outcome } : outcome

/**
 * Records in its session how an act ended: that the outcome of its message is unknown, which is an event if nobody awaits it, and that the
 * network refused it. `messageid` is empty for an act that makes no message.
 */
export function recordEnd(
  { intake }: Session,
  { action, messageid }: { action: string; messageid: string },
  outcome: Outcome,
): void {
  const makesMessage = messageid !== ''
  if (outcome.kind === 'unknown' && makesMessage) intake.reportUnknown(messageid)
  if (outcome.kind === 'refused') intake.recordRefusal(action, outcome.providerCode, makesMessage)
}
