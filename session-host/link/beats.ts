// The beats of one link: each reports this host's state to the edge, and its answer extends the lease.

import type { HostFrame } from '../../shared/wire/link-frames.ts'
import type { Log } from '../host-log.ts'
import type { Metrics } from '../host-metrics.ts'
import type { Lease } from '../lease.ts'
import type { Cancel, Clock } from '../machine-clock.ts'
import type { Outbox } from '../outbox.ts'
import type { Sessions } from '../sessions/host-sessions.ts'
import type { LinkMonitor } from './link-monitor.ts'

export interface Beats {
  /** Sends a beat every `intervalMs`, until `stop`. */
  start(everyMs: number): void
  /** Sends a beat now. Never rejects. */
  sendBeat(): Promise<void>
  /** The edge has answered the oldest beat, or the hello that was sent at `helloAt`. */
  handleAnswer(helloAt: number): void
  /** Counts the slots in use now as reported, so that an act that frees one of them is noticed. */
  noteSlotsInUse(): void
  /** Whether fewer slots are in use than were last reported. */
  hasFreedSlot(): boolean
  stop(): void
}

interface Deps {
  clock: Clock
  lease: Lease
  heartbeat: LinkMonitor
  sessions: Sessions
  outbox: Outbox
  metrics: Metrics
  log: Log
  send(frame: HostFrame): void
}

export function createBeats({ clock, lease, heartbeat, sessions, outbox, metrics, log, send }: Deps): Beats {
  let cancel: Cancel | undefined
  /** The times of the beats that have not been answered. */
  const unanswered: number[] = []
  /** When a freeze of the process was first noticed, until the edge has answered a beat that was sent after it. */
  let freezeNoticedAt: number | undefined
  /** Reports in the outbox, as last read. */
  let waitingReports = 0
  /** Slots in use, as last reported. */
  let reportedSlots = 0

  const countRunning = () => sessions.listSessions().filter(({ status }) => status !== 'disconnected').length

  async function sendBeat(): Promise<void> {
    try {
      // The beat is sent even if the store cannot be read: without it other hosts would take the sessions over.
      waitingReports = await outbox.countWaiting().catch(() => waitingReports)
      const now = clock.now()
      if (heartbeat.estimateDelay() > 0) freezeNoticedAt ??= now
      unanswered.push(now)
      reportedSlots = countRunning()
      send({ t: 'beat', sessions: reportedSlots, lag: metrics.measureLag(), outbox: waitingReports })
    } catch (error) {
      log.error({ err: error }, 'a beat could not be sent')
    }
  }

  return {
    start(everyMs) {
      cancel = clock.runEvery(everyMs, () => void sendBeat())
    },
    sendBeat,
    handleAnswer(helloAt) {
      const sentAt = unanswered.shift() ?? helloAt
      lease.extend(sentAt)
      // A beat that was sent after the freeze is answered, so no older frame is left unread.
      if (freezeNoticedAt === undefined || sentAt < freezeNoticedAt) return
      freezeNoticedAt = undefined
      heartbeat.clearDelay()
    },
    noteSlotsInUse() {
      reportedSlots = Math.max(reportedSlots, countRunning())
    },
    hasFreedSlot: () => countRunning() < reportedSlots,
    stop: () => cancel?.(),
  }
}
