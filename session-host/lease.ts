// The lease, a host's right to its sessions: granted by the edge's welcome, extended by answered beats, measured in monotonic time.

import type { Cancel, Clock } from './machine-clock.ts'

/** The unused part of a lease: 5 s of 30. Our sockets are closed well before another host may take over. */
const MARGIN = 1 / 6

export interface Lease {
  /**
   * True while the lease runs. Checked before anything is begun, read, sent or written: a process that was frozen reads
   * its sockets before any of its timers runs.
   */
  readonly runs: boolean
  /** Called for a welcome to a hello that was sent at `sentAt`. Answers false if this lease or the one before has ended already. */
  grant(sentAt: number, leaseMs: number): boolean
  /** Called for the answer to a beat that was sent at `sentAt`. An ended lease is not extended: only a welcome grants a new one. */
  extend(sentAt: number): void
  /** Adds a listener that is called each time the lease ends. */
  onEnd(listener: () => void): void
  /** Gives the lease up, because the process ends. */
  stop(): void
}

/** Times are those of the clock. */
export function createLease(clock: Clock): Lease {
  let length = 0
  let until = Number.NEGATIVE_INFINITY
  let cancel: Cancel | undefined
  const listeners: (() => void)[] = []

  const isRunning = () => clock.now() < until

  function endLease(): void {
    cancel?.()
    until = Number.NEGATIVE_INFINITY
    for (const listener of listeners) listener()
  }

  function scheduleEnd(): void {
    cancel?.()
    cancel = clock.runAfter(until - clock.now(), () => (isRunning() ? scheduleEnd() : endLease()))
  }

  return {
    get runs() {
      return isRunning()
    },
    grant(sentAt, leaseMs) {
      // The lease had ended before its timer ran: the sockets are still open, and their frames were dropped meanwhile.
      if (until > Number.NEGATIVE_INFINITY && !isRunning()) {
        endLease()
        return false
      }
      length = leaseMs * (1 - MARGIN)
      until = sentAt + length
      scheduleEnd()
      return isRunning()
    },
    extend(sentAt) {
      if (!isRunning()) return
      until = Math.max(until, sentAt + length)
      scheduleEnd()
    },
    onEnd: (listener) => void listeners.push(listener),
    stop() {
      cancel?.()
      until = Number.NEGATIVE_INFINITY
    },
  }
}
