// The right to hold sessions: granted by the edge's welcome, kept up by answered beats, judged by monotonic time alone.

import type { Cancel, Clock } from './clock.ts'

/** The part of a lease that stays unused: 5 s of 30. When others may take over, our sockets have long been closed. */
const MARGIN = 1 / 6

export interface Lease {
  /**
   * At this very moment. Asked wherever something is begun, heard, sent or written: a process that was frozen reads
   * its sockets before any timer of its has had a turn.
   */
  readonly runs: boolean
  /** By a welcome to what was said at `asOf`. Answers false when it, or the one before, is only now found to be over. */
  grant(asOf: number, leaseMs: number): boolean
  /** By the answer to a beat that was sent at `asOf`. What has ended is not extended: only a welcome grants it anew. */
  extend(asOf: number): void
  /** Called once each time that it ends. */
  onEnd(listener: () => void): void
  /** Given back: the process ends. */
  stop(): void
}

/** Times are those of the clock. */
export function makeLease(clock: Clock): Lease {
  let length = 0
  let until = Number.NEGATIVE_INFINITY
  let cancel: Cancel | undefined
  const listeners: (() => void)[] = []

  const runs = () => clock.now() < until

  function end(): void {
    cancel?.()
    until = Number.NEGATIVE_INFINITY
    for (const listener of listeners) listener()
  }

  function watch(): void {
    cancel?.()
    cancel = clock.after(until - clock.now(), () => (runs() ? watch() : end()))
  }

  return {
    get runs() {
      return runs()
    },
    grant(asOf, leaseMs) {
      // It had ended before its timer had a turn: what came meanwhile was not heard, on sockets that are still open.
      if (until > Number.NEGATIVE_INFINITY && !runs()) {
        end()
        return false
      }
      length = leaseMs * (1 - MARGIN)
      until = asOf + length
      watch()
      return runs()
    },
    extend(asOf) {
      if (!runs()) return
      until = Math.max(until, asOf + length)
      watch()
    },
    onEnd: (listener) => void listeners.push(listener),
    stop() {
      cancel?.()
      until = Number.NEGATIVE_INFINITY
    },
  }
}
