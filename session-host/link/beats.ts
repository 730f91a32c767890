// The beats of one link: each reports this host's state to the edge, and its answer extends the lease.

import type { HostFrame } from '@msgnet/shared/wire/link-frames.ts'
import type { Metrics } from '../metrics/host-metrics.ts'
import type { Log } from '../process/host-log.ts'
import type { Lease } from '../process/lease.ts'
import type { Cancel, Clock } from '../process/machine-clock.ts'
import type { Outbox } from '../reports/outbox.ts'
import type { Sessions } from '../sessions/host-sessions.ts'
import type { LinkMonitor } from './link-monitor.ts'

interface Deps {
  clock: Clock
  lease: Lease
  monitor: LinkMonitor
  sessions: Sessions
  outbox: Outbox
  metrics: Metrics
  log: Log
  send(frame: HostFrame): void
}

export class Beats {
  readonly #deps: Deps
  #cancel: Cancel | undefined
  /** The times of the beats that have not been answered. */
  readonly #unanswered: number[] = []
  /** When a freeze of the process was first noticed, until the edge has answered a beat that was sent after it. */
  #freezeNoticedAt: number | undefined
  /** Reports in the outbox, as last read. */
  #waitingReports = 0
  /** Slots in use, as last reported. */
  #reportedSlots = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Sends a beat every `everyMs`, until `stop`. */
  start(everyMs: number): void {
    this.#cancel = this.#deps.clock.runEvery(everyMs, () => void this.sendBeat())
  }

  /** Sends a beat now. Never rejects. */
  async sendBeat(): Promise<void> {
    const { clock, monitor, outbox, metrics, log, send } = this.#deps
    try {
      // The beat is sent even if the store cannot be read: without it other hosts would take the sessions over.
      this.#waitingReports = await outbox.countWaiting().catch(() => this.#waitingReports)
      const now = clock.now()
      if (monitor.estimateDelay() > 0) this.#freezeNoticedAt ??= now
      this.#unanswered.push(now)
      this.#reportedSlots = this.#countRunning()
      send({
        t: 'beat',
        sessions: this.#reportedSlots,
        lag: metrics.measureLag(),
        outbox: this.#waitingReports,
      })
    } catch (error) {
      log.error({ error }, 'failed to send beat')
    }
  }

  /** The edge has answered the oldest beat, or the hello that was sent at `helloAt`. */
  handleAnswer(helloAt: number): void {
    const { lease, monitor } = this.#deps
    const sentAt = this.#unanswered.shift() ?? helloAt
    lease.extend(sentAt)
    // A beat that was sent after the freeze is answered, so no older frame is left unread.
    if (this.#freezeNoticedAt === undefined || sentAt < this.#freezeNoticedAt) return
    this.#freezeNoticedAt = undefined
    monitor.clearDelay()
  }

  /** Counts the slots in use now as reported, so that an act that frees one of them is noticed. */
  noteSlotsInUse(): void {
    this.#reportedSlots = Math.max(this.#reportedSlots, this.#countRunning())
  }

  /** Whether fewer slots are in use than were last reported. */
  hasFreedSlot(): boolean {
    return this.#countRunning() < this.#reportedSlots
  }

  stop(): void {
    this.#cancel?.()
  }

  #countRunning(): number {
    return this.#deps.sessions.listSessions().filter(({ status }) => status !== 'disconnected').length
  }
}
