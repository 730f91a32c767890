// The link to the edge: dials it, keeps it up, and dispatches its frames.

import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '../../shared/date-time.ts'
import { type EdgeFrame, type HostFrame, WIRE_VERSION } from '../../shared/wire/link-frames.ts'
import type { ActRunner } from '../actions/act-runner.ts'
import type { Log } from '../host-log.ts'
import type { Metrics } from '../host-metrics.ts'
import type { Lease } from '../lease.ts'
import type { Cancel, Clock } from '../machine-clock.ts'
import type { Outbox } from '../outbox.ts'
import type { Sessions } from '../sessions/host-sessions.ts'
import { type Beats, createBeats } from './beats.ts'
import { type LinkMonitor, startLinkMonitor } from './link-monitor.ts'
import { dialEdge, type LinkSocket } from './link-socket.ts'

const MIN_RETRY_MS = 100
const MAX_RETRY_MS = 5 * SECOND

export interface Link {
  /** The edge has sent its welcome, and the link is open. */
  readonly up: boolean
  /** Resolves when it was up for the first time, and the sessions are on their way. */
  readonly firstLinked: Promise<void>
  /** Reports to the edge that this host is about to stop. */
  announceStop(): void
  /** Closes all sessions and offers them to other hosts. */
  offerSessions(): Promise<void>
  /** Resolves when the outbox is empty, the link is down, or the time is over. */
  drainOutbox(withinMs: number): Promise<void>
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
  acts: ActRunner
  sessions: Sessions
  outbox: Outbox
  metrics: Metrics
  log: Log
}

type Welcome = Extract<EdgeFrame, { t: 'welcome' }>

/** The state of one link, from its dialling to its end. */
interface DialledLink {
  readonly socket: LinkSocket
  readonly heartbeat: LinkMonitor
  readonly beats: Beats
  /** When the hello was sent. */
  helloAt: number
}

export function openLink(deps: Deps): Link {
  const { clock, acts, lease, sessions, outbox, metrics, log } = deps
  let socket: LinkSocket | undefined
  let up = false
  const firstLinked = Promise.withResolvers<void>()
  let closed = false
  let stopping = false
  let failures = 0
  let cancelRedial: Cancel | undefined

  // Only the welcome of a new link grants another lease.
  lease.onEnd(() => socket?.terminate('the lease is over'))

  const yieldSessions = (instances: string[]) =>
    sessions.yieldSessions(instances, {
      waitForActs: acts.waitForInstance,
      onYielded: (given) => socket?.send({ t: 'yielded', sessions: given }),
    })

  function connectToEdge(): void {
    const ownSocket = dialEdge(deps.url, deps.token, {
      onTooLarge: (t, bytes) => log.error({ t, bytes }, 'a frame is too large for the link and was not sent'),
      onOpen() {
        current.helloAt = clock.now()
        const { boot, slots, store } = deps
        ownSocket.send({
          t: 'hello',
          wire: WIRE_VERSION,
          boot,
          slots,
          store,
          sessions: sessions.listSessions(),
        })
      },
      onFrame(frame) {
        heartbeat.recordFrame()
        metrics.recordEdgeFrame()
        handleFrame(current, frame).catch((error) => {
          log.error({ err: error }, 'a frame could not be dealt with')
          // Half a welcome would leave sessions down and reports unsent on a link that is up.
          if (frame.t === 'welcome') ownSocket.terminate('the welcome could not be dealt with')
        })
      },
      onClose(why) {
        beats.stop()
        heartbeat.stop()
        outbox.close()
        const wasUp = up
        up = false
        if (closed) return
        log.warn({ why, wasUp }, 'the link is down')
        const limit = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** Math.min(failures++, 10))
        cancelRedial = clock.runAfter(limit / 2 + (Math.random() * limit) / 2, connectToEdge)
      },
    })
    socket = ownSocket
    const heartbeat = startLinkMonitor(clock, () => ownSocket.terminate('the edge was not heard of'))
    const beats = createBeats({
      clock,
      lease,
      heartbeat,
      sessions,
      outbox,
      metrics,
      log,
      send: ownSocket.send,
    })
    const current: DialledLink = { socket: ownSocket, heartbeat, beats, helloAt: 0 }
  }

  async function handleFrame(current: DialledLink, frame: EdgeFrame): Promise<void> {
    const { heartbeat, beats } = current
    switch (frame.t) {
      case 'welcome':
        return handleWelcome(current, frame)
      case 'beaten':
        return beats.handleAnswer(current.helloAt)
      case 'hold':
        return stopping ? undefined : sessions.assignSessions(frame.sessions)
      case 'release':
        return sessions.releaseSessions(frame.instances)
      case 'yield':
        return yieldSessions(frame.instances)
      case 'act':
        beats.noteSlotsInUse()
        return acts.runAct(frame, heartbeat.estimateDelay(), (answer) => sendActFrame(beats, answer))
      case 'what':
        return acts.sendQueriedOutcome(frame.id, current.socket.send)
      case 'seen':
        return acts.deleteSeen([frame.id])
      case 'ack':
        metrics.recordAck()
        return outbox.acknowledge(frame.upTo, frame.moved)
      default:
        return frame satisfies never
    }
  }

  async function handleWelcome(
    { socket: ownSocket, beats, helloAt }: DialledLink,
    welcome: Welcome,
  ): Promise<void> {
    if (!lease.grant(helloAt, welcome.leaseMs)) return ownSocket.terminate('the welcome came too late')
    up = true
    failures = 0
    log.info({ host: welcome.host }, 'the link is up')
    beats.start(welcome.heartbeatMs)
    await acts.resendOutcomes(ownSocket.send)
    await sessions.releaseSessions(welcome.release)
    await sessions.eraseSessions(welcome.gone)
    // Closing the released sessions takes time, so this link may be down by now.
    if (socket !== ownSocket || !up) return
    outbox.open(ownSocket.sendEvents, welcome.credit)
    const resumed = stopping ? undefined : sessions.resumeAll()
    firstLinked.resolve()
    return resumed
  }

  /**
   * Sends on the link that is up when the act has ended. If the act freed a slot, a beat is sent before its outcome, because the caller
   * may ask for the slot at once.
   */
  function sendActFrame(beats: Beats, answer: HostFrame): void {
    if (answer.t === 'outcome' && beats.hasFreedSlot()) void beats.sendBeat().then(() => socket?.send(answer))
    else socket?.send(answer)
  }

  connectToEdge()
  return {
    firstLinked: firstLinked.promise,
    get up() {
      return up
    },
    announceStop() {
      stopping = true
      socket?.send({ t: 'draining' })
    },
    offerSessions: () => yieldSessions(sessions.listSessions().map(({ instance }) => instance)),
    async drainOutbox(withinMs) {
      const until = performance.now() + withinMs
      while (up && performance.now() < until && (await outbox.countWaiting()) > 0) await wait(20)
    },
    close() {
      closed = true
      cancelRedial?.()
      socket?.close()
    },
  }
}
