// The link to the edge: dials it, keeps it up, and dispatches its frames.

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
import { type Beats, makeBeats } from './beats.ts'
import { type Heartbeat, startHeartbeat } from './heartbeat.ts'
import { dial, type LinkSocket } from './link-socket.ts'

const FIRST_RETRY_MS = 100
const LAST_RETRY_MS = 5 * SECOND

export interface Link {
  /** The edge has sent its welcome, and the link is open. */
  readonly up: boolean
  /** Resolves when it was up for the first time, and the sessions are on their way. */
  readonly firstUp: Promise<void>
  /** Reports to the edge that this host is about to stop. */
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

type Welcome = Extract<EdgeFrame, { t: 'welcome' }>

/** The state of one link, from its dialling to its end. */
interface DialledLink {
  readonly socket: LinkSocket
  readonly heartbeat: Heartbeat
  readonly beats: Beats
  /** When the hello was sent. */
  helloAt: number
}

export function openLink(deps: Deps): Link {
  const { clock, acts, lease, sessions, outbox, metrics, log } = deps
  let socket: LinkSocket | undefined
  let up = false
  const firstUp = Promise.withResolvers<void>()
  let closed = false
  let leaving = false
  let failures = 0
  let cancelRedial: Cancel | undefined

  // Only the welcome of a new link grants another lease.
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
        current.helloAt = clock.now()
        const { boot, slots, store } = deps
        mine.send({ t: 'hello', wire: WIRE, boot, slots, store, sessions: sessions.all() })
      },
      frame(frame) {
        heartbeat.heard()
        metrics.heard()
        receive(current, frame).catch((thrown) => {
          log.error({ err: thrown }, 'a frame could not be dealt with')
          // Half a welcome would leave sessions down and reports unsent on a link that is up.
          if (frame.t === 'welcome') mine.drop('the welcome could not be dealt with')
        })
      },
      closed(why) {
        beats.stop()
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
    const heartbeat = startHeartbeat(clock, () => mine.drop('the edge was not heard of'))
    const beats = makeBeats({ clock, lease, heartbeat, sessions, outbox, metrics, log, send: mine.send })
    const current: DialledLink = { socket: mine, heartbeat, beats, helloAt: 0 }
  }

  async function receive(current: DialledLink, frame: EdgeFrame): Promise<void> {
    const { heartbeat, beats } = current
    switch (frame.t) {
      case 'welcome':
        return welcomed(current, frame)
      case 'beaten':
        return beats.answered(current.helloAt)
      case 'hold':
        return leaving ? undefined : sessions.hold(frame.sessions)
      case 'release':
        return sessions.release(frame.instances)
      case 'yield':
        return giveUp(frame.instances)
      case 'act':
        beats.slotsInUse()
        return acts.take(frame, heartbeat.late(), (answer) => sendAnswer(beats, answer))
      case 'what':
        return acts.answerQuery(frame.id, current.socket.send)
      case 'seen':
        return acts.seen([frame.id])
      case 'ack':
        metrics.acknowledged()
        return outbox.acknowledge(frame.upTo, frame.moved)
      default:
        return frame satisfies never
    }
  }

  async function welcomed({ socket: mine, beats, helloAt }: DialledLink, welcome: Welcome): Promise<void> {
    if (!lease.grant(helloAt, welcome.leaseMs)) return mine.drop('the welcome came too late')
    up = true
    failures = 0
    log.info({ host: welcome.host }, 'the link is up')
    beats.start(welcome.heartbeatMs)
    await acts.resendOutcomes(mine.send)
    await sessions.release(welcome.release)
    await sessions.erase(welcome.gone)
    // Closing the released sessions takes time, so this link may be down by now.
    if (socket !== mine || !up) return
    outbox.open(mine.sendEvents, welcome.credit)
    const resumed = leaving ? undefined : sessions.resume()
    firstUp.resolve()
    return resumed
  }

  /**
   * Sends on the link that is up when the act has ended. If the act freed a slot, a beat is sent before its outcome, because the caller
   * may ask for the slot at once.
   */
  function sendAnswer(beats: Beats, answer: HostFrame): void {
    if (answer.t === 'outcome' && beats.slotFreed()) void beats.beat().then(() => socket?.send(answer))
    else socket?.send(answer)
  }

  connect()
  return {
    firstUp: firstUp.promise,
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
