// The parts of the host that a session needs.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { Sealer } from '@msgnet/shared/seal.ts'
import type { RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'
import type { Driver, StoredKey } from '../driver/driver.ts'
import type { Metrics } from '../metrics/host-metrics.ts'
import type { Log } from '../process/host-log.ts'
import type { Lease } from '../process/lease.ts'
import type { Clock } from '../process/machine-clock.ts'
import type { Outbox } from '../reports/outbox.ts'
import type { PresenceBuffer } from '../reports/presence-buffer.ts'
import type { ScheduledQueue } from '../scheduled/scheduled-queue.ts'
import type { CredentialReplacement } from '../store/credential-store.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import type { StoredMedia } from '../stored-media/stored-media.ts'
import type { LoginTurns } from './login-turns.ts'

export interface SessionDeps {
  store: FencedStore
  clock: Clock
  lease: Pick<Lease, 'runs'>
  outbox: Outbox
  presence: Pick<PresenceBuffer, 'add'>
  driver: Driver
  storedMedia: StoredMedia
  logins: Pick<LoginTurns, 'countLogin'>
  scheduled: ScheduledQueue
  /** Seals the proxy's URL. */
  sealer: Sealer
  /** Makes these the keys of an instance, in place of any others. */
  replaceKeys(instance: string, keys: StoredKey[]): CredentialReplacement
  /** Called when the outcome of an own message becomes known. */
  resolveFromRecord(record: MessageRecord): void
  /** Called when an instance was assigned to this host. */
  loadTrackedActs(instance: string): Promise<void>
  metrics: Metrics
  log: Log
}

/** Runs `open`, which opens a socket, if the session has a slot or there is one for it. */
export type RunInSlot = <Result>(open: () => Promise<Result>) => Promise<Result | RefusedOutcome>
