// The link to the edge: dials it, redials it, and dispatches its frames.

import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '@msgnet/shared/date-time.ts'
import {
  type EdgeFrame,
  type HostFrame,
  type OutcomeQuery,
  WIRE_VERSION,
} from '@msgnet/shared/wire/link-frames.ts'
import type { ActRunner } from '../actions/act-runner.ts'
import type { Metrics } from '../metrics/host-metrics.ts'
import type { Log } from '../process/host-log.ts'
import type { Lease } from '../process/lease.ts'
import type { Cancel, Clock } from '../process/machine-clock.ts'
import type { Outbox } from '../reports/outbox.ts'
import type { PresenceBuffer } from '../reports/presence-buffer.ts'
import type { Sessions } from '../sessions/host-sessions.ts'
import { Beats } from './beats.ts'
import { LinkMonitor } from './link-monitor.ts'
import { LinkSocket } from './link-socket.ts'

const MIN_RETRY_MS = 100
const MAX_RETRY_MS = 5 * SECOND

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
  presence: PresenceBuffer
  metrics: Metrics
  log: Log
}

type Welcome = Extract<EdgeFrame, { t: 'welcome' }>

/** One dialled link, from its dialling to its end. */
interface Dialled {
  readonly socket: LinkSocket
  readonly monitor: LinkMonitor
  readonly beats: Beats
  /** When the hello was sent. */
  helloAt: number
}

export class EdgeLink {
  readonly #deps: Deps
  readonly #firstLinked = Promise.withResolvers<void>()
  #socket: LinkSocket | undefined
  #up = false
  #closed = false
  #stopping = false
  #failures = 0
  #cancelRedial: Cancel | undefined

  constructor(deps: Deps) {
    this.#deps = deps
    // Only the welcome of a new link grants another lease.
    deps.lease.onEnd(() => this.#socket?.terminate('the lease is over'))
    this.#dial()
  }

  /** The edge has sent its welcome, and the link is open. */
  get up(): boolean {
    return this.#up
  }

  /** Resolves when it was up for the first time, and the sessions are about to be resumed. */
  get firstLinked(): Promise<void> {
    return this.#firstLinked.promise
  }

  /** Reports to the edge that this host is about to stop. */
  announceStop(): void {
    this.#stopping = true
    this.#socket?.send({ t: 'draining' })
  }

  /** Closes all sessions and offers them to other hosts. */
  offerSessions(): Promise<void> {
    return this.#yieldSessions(this.#deps.sessions.listSessions().map(({ instance }) => instance))
  }

  /** Resolves when the outbox is empty, the link is down, or the time is over. */
  async drainOutbox(maxMs: number): Promise<void> {
    const until = performance.now() + maxMs
    while (this.#up && performance.now() < until && (await this.#deps.outbox.countWaiting()) > 0)
      await wait(20)
  }

  close(): void {
    this.#closed = true
    this.#cancelRedial?.()
    this.#socket?.close()
  }

  #dial(): void {
    const { url, token, clock, metrics, log } = this.#deps
    const socket = new LinkSocket(url, token, {
      onTooLarge: (t, bytes) => log.error({ t, bytes }, 'frame not sent: too large for the link'),
      onOpen: () => this.#sendHello(dialled),
      onFrame: (frame) => {
        monitor.recordFrame()
        metrics.recordEdgeFrame()
        this.#handleFrame(dialled, frame).catch((error) => {
          log.error({ error, t: frame.t }, 'failed to handle frame')
          // Half a welcome would leave sessions down and reports unsent on a link that is up.
          if (frame.t === 'welcome') socket.terminate('failed to handle the welcome')
        })
      },
      onClose: (why) => this.#handleClose(dialled, why),
    })
    this.#socket = socket
    const monitor = new LinkMonitor(clock, () => socket.terminate('the edge was not heard of'))
    const beats = new Beats({ ...this.#deps, monitor, send: (frame) => socket.send(frame) })
    const dialled: Dialled = { socket, monitor, beats, helloAt: 0 }
  }

  #sendHello(dialled: Dialled): void {
    const { clock, boot, slots, store, sessions } = this.#deps
    dialled.helloAt = clock.now()
    dialled.socket.send({
      t: 'hello',
      wire: WIRE_VERSION,
      boot,
      slots,
      store,
      chats: true,
      sessions: sessions.listSessions(),
    })
  }

  #handleClose({ beats, monitor }: Dialled, why: string): void {
    const { outbox, presence, clock, log } = this.#deps
    beats.stop()
    monitor.stop()
    outbox.close()
    presence.close()
    const wasUp = this.#up
    this.#up = false
    if (this.#closed) return
    log.warn({ why, wasUp }, 'link closed')
    const limit = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** Math.min(this.#failures++, 10))
    const ms = limit / 2 + (Math.random() * limit) / 2
    this.#cancelRedial = clock.runAfter(ms, () => this.#dial())
  }

  async #handleFrame(dialled: Dialled, frame: EdgeFrame): Promise<void> {
    const { acts, sessions, outbox, metrics } = this.#deps
    const { monitor, beats } = dialled
    switch (frame.t) {
      case 'welcome':
        return this.#handleWelcome(dialled, frame)
      case 'beaten':
        return beats.handleAnswer(dialled.helloAt)
      case 'hold':
        return this.#stopping ? undefined : sessions.assignSessions(frame.sessions)
      case 'release':
        return sessions.releaseSessions(frame.instances)
      case 'yield':
        return this.#yieldSessions(frame.instances)
      case 'act':
        beats.noteSlotsInUse()
        return acts.runAct(frame, monitor.estimateDelay(), (sent) => this.#sendActFrame(beats, sent))
      case 'what':
        return this.#handleQuery(dialled, frame)
      case 'seen':
        return acts.deleteSeen([frame.id])
      case 'ack':
        metrics.recordAck()
        sessions.noteUnwantedHistory(frame.unwanted ?? [])
        return outbox.acknowledge(frame.upTo, frame.moved)
      default:
        return frame satisfies never
    }
  }

  #handleQuery({ socket }: Dialled, { id, refuse }: OutcomeQuery): Promise<void> {
    const { acts, boot } = this.#deps
    const send = (sent: HostFrame) => socket.send(sent)
    return refuse?.boot === boot
      ? acts.refuseUnstarted({ id, instance: refuse.instance }, send)
      : acts.sendQueriedOutcome(id, send)
  }

  async #handleWelcome({ socket, beats, helloAt }: Dialled, welcome: Welcome): Promise<void> {
    const { lease, acts, sessions, outbox, presence, log } = this.#deps
    if (!lease.grant(helloAt, welcome.leaseMs)) return socket.terminate('the welcome came too late')
    this.#up = true
    this.#failures = 0
    log.info({ host: welcome.host }, 'link opened')
    beats.start(welcome.heartbeatMs)
    await acts.resendOutcomes((frame) => socket.send(frame))
    await sessions.releaseSessions(welcome.release)
    await sessions.eraseSessions(welcome.gone)
    // Closing the released sessions takes time, so this link may be down by now.
    if (this.#socket !== socket || !this.#up) return
    outbox.open((items) => socket.sendEvents(items), welcome.credit)
    if (welcome.presence) presence.open((items) => socket.send({ t: 'presence', items }))
    const resumed = this.#stopping ? undefined : sessions.resumeAll()
    this.#firstLinked.resolve()
    return resumed
  }

  #yieldSessions(instances: string[]): Promise<void> {
    const { sessions, acts } = this.#deps
    return sessions.yieldSessions(instances, {
      waitForActs: (instance) => acts.waitForInstance(instance),
      onYielded: (yielded) => this.#socket?.send({ t: 'yielded', sessions: yielded }),
    })
  }

  /**
   * Sends on the link that is up when the act has ended. If the act freed a slot, a beat is sent before its outcome, because the caller
   * may ask for the slot at once.
   */
  #sendActFrame(beats: Beats, frame: HostFrame): void {
    if (frame.t === 'outcome' && beats.hasFreedSlot())
      void beats.sendBeat().then(() => this.#socket?.send(frame))
    else this.#socket?.send(frame)
  }
}
