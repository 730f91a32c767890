// Counts how connections end and what the driver does not know of the network's words; each such word is logged once.

import type { Closing, ConnectionEvents } from '../driver/driver.ts'
import type { Log } from '../host-log.ts'
import type { Metrics } from '../host-metrics.ts'
import type { Decision } from './reconnect-policy.ts'

export type EndingMetrics = Pick<Metrics, 'reconnects' | 'network'>

export function countEnding(
  metrics: EndingMetrics,
  { kind, networkWords }: Closing,
  verdict: Decision,
): void {
  if (networkWords) metrics.network.countClosing(networkWords)
  if (verdict.do === 'retry') metrics.reconnects.inc({ reason: kind })
}

export function logUnknownWords({ network }: EndingMetrics, log: Log): ConnectionEvents['onUnknownWord'] {
  return ({ kind, name }) => {
    const fresh = network.countUnknownWord(kind, name)
    if (fresh) log.warn({ kind, name: fresh }, 'the network said something that is not known here')
  }
}
