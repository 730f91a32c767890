// The beats of one link: each reports this host's state to the edge, and its answer extends the lease.

import type { HostFrame } from '../../shared/wire/frames.ts'
import type { Cancel, Clock } from '../clock.ts'
import type { Lease } from '../lease.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Outbox } from '../outbox.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Heartbeat } from './heartbeat.ts'

export interface Beats {
  /** Sends a beat every `everyMs`, until `stop`. */
  start(everyMs: number): void
  /** Sends a beat now. Never rejects. */
  beat(): Promise<void>
  /** The edge has answered the oldest beat, or the hello that was sent at `helloAt`. */
  answered(helloAt: number): void
  /** Counts the slots in use now as reported, so that an act that frees one of them is noticed. */
  slotsInUse(): void
  /** Whether fewer slots are in use than were last reported. */
  slotFreed(): boolean
  stop(): void
}

interface Deps {
  clock: Clock
  lease: Lease
  heartbeat: Heartbeat
  sessions: Sessions
  outbox: Outbox
  metrics: Metrics
  log: Log
  send(frame: HostFrame): void
}

export function makeBeats({ clock, lease, heartbeat, sessions, outbox, metrics, log, send }: Deps): Beats {
  let cancel: Cancel | undefined
  /** The times of the beats that have not been answered. */
  const unanswered: number[] = []
  /** When a freeze of the process was first noticed, until the edge has answered a beat that was sent after it. */
  let thawedAt: number | undefined
  /** Reports in the outbox, as last read. */
  let waiting = 0
  /** Slots in use, as last reported. */
  let reported = 0

  const running = () => sessions.all().filter(({ status }) => status !== 'disconnected').length

  async function beat(): Promise<void> {
    try {
      // The beat is sent even if the store cannot be read: without it other hosts would take the sessions over.
      waiting = await outbox.depth().catch(() => waiting)
      const now = clock.now()
      if (heartbeat.late() > 0) thawedAt ??= now
      unanswered.push(now)
      reported = running()
      send({ t: 'beat', sessions: reported, lag: metrics.takeLag(), outbox: waiting })
    } catch (thrown) {
      log.error({ err: thrown }, 'a beat could not be sent')
    }
  }

  return {
    start(everyMs) {
      cancel = clock.every(everyMs, () => void beat())
    },
    beat,
    answered(helloAt) {
      const sentAt = unanswered.shift() ?? helloAt
      lease.extend(sentAt)
      // A beat that was sent after the freeze is answered, so no older frame is left unread.
      if (thawedAt === undefined || sentAt < thawedAt) return
      thawedAt = undefined
      heartbeat.caughtUp()
    },
    slotsInUse() {
      reported = Math.max(reported, running())
    },
    slotFreed: () => running() < reported,
    stop: () => cancel?.(),
  }
}
