// The parts of the host that a session needs.

import type { MessageRecord } from '../../shared/contract/message.ts'
import type { Sealer } from '../../shared/seal.ts'
import type { Clock } from '../clock.ts'
import type { Driver } from '../driver/driver.ts'
import type { Lease } from '../lease.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Outbox } from '../outbox.ts'
import type { FencedStore } from '../store/fencing.ts'

export interface SessionDeps {
  store: FencedStore
  clock: Clock
  lease: Pick<Lease, 'runs'>
  outbox: Outbox
  driver: Driver
  /** Seals the proxy's URL. */
  sealer: Sealer
  /** Called when the outcome of an own message becomes known. */
  resolveFrom(record: MessageRecord): void
  /** Called when an instance was assigned to this host. */
  inherit(instance: string): Promise<void>
  metrics: Metrics
  log: Log
}
