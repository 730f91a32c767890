// The link to the edge: dialled, kept up, and every frame on it put where it belongs.

import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../../shared/clock.ts'
import { type EdgeFrame, type HostFrame, WIRE } from '../../shared/wire/frames.ts'
import type { Acts } from '../actions/acts.ts'
import type { Cancel, Clock } from '../clock.ts'
import type { Lease } from '../lease.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Outbox } from '../outbox.ts'
import type { Sessions } from '../sessions/sessions.ts'
import { type Heartbeat, startHeartbeat } from './heartbeat.ts'
import { dial, type LinkSocket } from './link-socket.ts'

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5 * SECOND

export interface Link {
  /** The edge has said welcome and is heard. */
  readonly up: boolean
  /** Tells the edge that this host is about to end. */
  leave(): void
  /** Closes all sessions and offers them to other hosts. */
  handOver(): Promise<void>
  /** Resolves when the outbox is empty, the link is down, or the time is over. */
  drain(withinMs: number): Promise<void>
  close(): void
}

interface Deps {
  url: string
  token: string
  slots: number
  boot: string
  /** The store's id. */
  store: string
  clock: Clock
  lease: Lease
  acts: Acts
  sessions: Sessions
  outbox: Outbox
  metrics: Metrics
  log: Log
}

export function openLink(deps: Deps): Link {
  const { clock, acts, lease, sessions, outbox, metrics, log } = deps
  let socket: LinkSocket | undefined
  let up = false
  let closed = false
  let leaving = false
  let failures = 0
  let cancelRedial: Cancel | undefined

  const failed = (thrown: unknown) => log.error({ err: thrown }, 'a frame could not be dealt with')
  // Only a welcome grants another one.
  lease.onEnd(() => socket?.drop('the lease is over'))

  const giveUp = (instances: string[]) =>
    sessions.giveUp(instances, {
      quiet: acts.quiet,
      yielded: (given) => socket?.send({ t: 'yielded', sessions: given }),
    })

  function connect(): void {
    const mine = dial(deps.url, deps.token, {
      tooLarge: (t, bytes) => log.error({ t, bytes }, 'a frame is too large for the link and was not sent'),
      opened() {
        saidHello = clock.now()
        const { boot, slots, store } = deps
        mine.send({ t: 'hello', wire: WIRE, boot, slots, store, sessions: sessions.all() })
      },
      frame(frame) {
        heartbeat.heard()
        metrics.heard()
        receive(frame).catch((thrown) => {
          failed(thrown)
          // Half of it would leave sessions down and reports unsent on a link that is up.
          if (frame.t === 'welcome') mine.drop('the welcome could not be dealt with')
        })
      },
      closed(why) {
        stopBeating?.()
        heartbeat.stop()
        outbox.close()
        const wasUp = up
        up = false
        if (closed) return
        log.warn({ why, wasUp }, 'the link is down')
        const limit = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures++, 10))
        cancelRedial = clock.after(limit / 2 + (Math.random() * limit) / 2, connect)
      },
    })
    socket = mine
    const heartbeat: Heartbeat = startHeartbeat(clock, () => mine.drop('the edge was not heard of'))
    let stopBeating: Cancel | undefined
    let saidHello = 0
    /** When each beat left that has not been answered. */
    const unanswered: number[] = []
    let thawedAt: number | undefined

    /** Reports that wait, as far as the store could tell. */
    let waiting = 0
    /** Slots in use, as the edge was last told. */
    let reported = 0
    const running = () => sessions.all().filter(({ status }) => status !== 'disconnected').length

    async function beat(): Promise<void> {
      // A store that cannot be read is no reason to fall silent: others would take the sessions over.
      waiting = await outbox.depth().catch(() => waiting)
      const now = clock.now()
      if (heartbeat.late() > 0) thawedAt ??= now
      unanswered.push(now)
      reported = running()
      mine.send({ t: 'beat', sessions: reported, lag: metrics.lag(), outbox: waiting })
    }

    /** An outcome that freed a slot follows the news of it: whoever reads the outcome may ask for the slot at once. */
    function answer(frame: HostFrame): void {
      const freed = frame.t === 'outcome' && running() < reported
      const news = freed ? beat().catch(failed) : undefined
      if (news !== undefined) void news.finally(() => socket?.send(frame))
      else socket?.send(frame)
    }

    async function receive(frame: EdgeFrame): Promise<void> {
      switch (frame.t) {
        case 'welcome':
          if (!lease.grant(saidHello, frame.leaseMs)) return mine.drop('the welcome came too late')
          up = true
          failures = 0
          log.info({ host: frame.host }, 'the link is up')
          stopBeating = clock.every(frame.heartbeatMs, () => void beat().catch(failed))
          await acts.resendOutcomes(mine.send)
          await sessions.release(frame.release)
          await sessions.erase(frame.gone)
          // Closing what was released takes its time: this link may be gone by now.
          if (socket !== mine || !up) return
          outbox.open(mine.sendEvents, frame.credit)
          return leaving ? undefined : sessions.resume()
        case 'beaten': {
          const sentAt = unanswered.shift() ?? saidHello
          lease.extend(sentAt)
          // What was sent after the process stood still is answered: nothing older is left unread.
          if (thawedAt === undefined || sentAt < thawedAt) return
          thawedAt = undefined
          return heartbeat.caughtUp()
        }
        case 'hold':
          return leaving ? undefined : sessions.hold(frame.sessions)
        case 'release':
          return sessions.release(frame.instances)
        case 'yield':
          return giveUp(frame.instances)
        case 'act':
          reported = Math.max(reported, running())
          return acts.take(frame, heartbeat.late(), answer)
        case 'what':
          return acts.answerQuery(frame.id, mine.send)
        case 'seen':
          return acts.seen([frame.id])
        case 'ack':
          metrics.acknowledged()
          return outbox.acknowledge(frame.upTo, frame.moved)
        default:
          return frame satisfies never
      }
    }
  }

  connect()
  return {
    get up() {
      return up
    },
    leave() {
      leaving = true
      socket?.send({ t: 'draining' })
    },
    handOver: () => giveUp(sessions.all().map(({ instance }) => instance)),
    async drain(withinMs) {
      const until = performance.now() + withinMs
      while (up && performance.now() < until && (await outbox.depth()) > 0) await wait(20)
    },
    close() {
      closed = true
      cancelRedial?.()
      socket?.close()
    },
  }
}
