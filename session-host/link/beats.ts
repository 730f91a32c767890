// The beats of one link: each tells the edge how this host is, and its answer extends the lease.

import type { HostFrame } from '../../shared/wire/frames.ts'
import type { Cancel, Clock } from '../clock.ts'
import type { Lease } from '../lease.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Outbox } from '../outbox.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Heartbeat } from './heartbeat.ts'

export interface Beats {
  /** One each `everyMs`, until `stop`. */
  start(everyMs: number): void
  /** One now. Never rejects. */
  beat(): Promise<void>
  /** The edge has answered the oldest of them, or the hello that left at `helloAt`. */
  answered(helloAt: number): void
  /** The slots that are in use now count as told: an act that frees one of them is news. */
  slotsInUse(): void
  /** Fewer slots are in use than the edge was told. */
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
  /** When each beat left that has not been answered. */
  const unanswered: number[] = []
  /** When the process was first found to have stood still, until the edge has answered something that was sent after it. */
  let thawedAt: number | undefined
  /** Reports that wait, as far as the store could tell. */
  let waiting = 0
  /** Slots in use, as the edge was last told. */
  let reported = 0

  const running = () => sessions.all().filter(({ status }) => status !== 'disconnected').length

  async function beat(): Promise<void> {
    try {
      // A store that cannot be read is no reason to fall silent: others would take the sessions over.
      waiting = await outbox.depth().catch(() => waiting)
      const now = clock.now()
      if (heartbeat.late() > 0) thawedAt ??= now
      unanswered.push(now)
      reported = running()
      send({ t: 'beat', sessions: reported, lag: metrics.lag(), outbox: waiting })
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
      // What was sent after the process stood still is answered: nothing older is left unread.
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
