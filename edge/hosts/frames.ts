// Handles each frame that a host sends to the edge.

import {
  CLOSE_UNWELCOME,
  CLOSE_WRONG_WIRE,
  type HostFrame,
  OLDEST_WIRE,
  WIRE,
} from '../../shared/wire/frames.ts'
import { bootstrapServerWebhook } from '../delivery/bootstrap.ts'
import { notifyArrived } from '../delivery/wake.ts'
import { wakeDue } from '../delivery/wake-due.ts'
import { type Env, leaseOf } from '../env.ts'
import { log } from '../log.ts'
import type { HostSocket } from '../runtime.ts'
import { assignedTo, assignmentsOf, beginAnew } from '../store/assignments.ts'
import type { Store } from '../store/database/database.ts'
import type { Ingested } from '../store/events/ingestion.ts'
import { markDraining, renewLease } from '../store/hosts.ts'
import { keptBy, passOn, takeOverForStore } from './handover.ts'
import { CREDIT, heartbeatOf } from './heartbeat.ts'
import { conflictOf } from './link-conflicts.ts'
import { answerSettled, type Settled, takeOutcome } from './outcomes.ts'
import type { Pending } from './pending.ts'
import { takeReports } from './reports.ts'
import { attach, attached, hangUp, holdFrames, releaseFrames, replaceOthers, send } from './socket.ts'

/** What the code needs to handle a frame: the link, its host, the store. */
export interface FrameContext {
  env: Env
  host: string
  /** Digest of the token that the link was opened with: the link is valid as long as the token is. */
  tokenHash: string
  store: Store
  pending: Pending
  /** Outcomes in the present WebSocket message whose answers are stored in the same write as its reports. */
  settled: Settled[]
  sockets(): HostSocket[]
  /** Work that the next frame need not wait for. */
  later(work: Promise<unknown>): void
}

const UNKNOWN_HOST = 'this host is not registered, or its token was replaced'

type Hello = Extract<HostFrame, { t: 'hello' }>

export async function answerFrame(
  context: FrameContext,
  socket: HostSocket,
  frame: HostFrame,
): Promise<void> {
  const { env, host, pending, store } = context
  if (frame.t === 'hello') return welcome(context, socket, frame)
  if (!attached(socket).welcomed) return hangUp(socket, CLOSE_UNWELCOME, 'hello comes first')
  switch (frame.t) {
    case 'beat': {
      const { sessions, lag } = frame
      const known = await renewLease(store, context, leaseOf(env), { sessions, lag: Math.round(lag) })
      if (!known) return hangUp(socket, CLOSE_UNWELCOME, UNKNOWN_HOST)
      send(socket, [{ t: 'beaten' }])
      return
    }
    case 'accepted':
      return pending.accepted(frame.id)
    case 'outcome':
      await takeOutcome(context, frame)
      send(socket, [{ t: 'seen', id: frame.id }])
      return
    case 'not_started':
      return pending.notStarted(frame.id)
    case 'events': {
      const { arrivals, moved } = await takeReportsOf(context, socket, frame)
      send(socket, [{ t: 'ack', upTo: Math.max(...frame.items.map((report) => report.n)), moved }])
      context.later(Promise.all(arrivals.map((arrival) => notifyArrived(env, arrival))))
      return
    }
    case 'draining':
      log(env, 'info', 'host draining', { host })
      await markDraining(store, host, [])
      return
    case 'yielded': {
      const moved = await passOn(env, store, host, frame.sessions)
      const kept = await keptBy(store, host, frame.sessions)
      send(socket, [...releaseFrames(moved.map(({ instance }) => instance)), ...holdFrames(kept)])
      return
    }
    default:
      return frame satisfies never
  }
}

async function takeReportsOf(
  context: FrameContext,
  socket: HostSocket,
  { items }: Extract<HostFrame, { t: 'events' }>,
): Promise<Ingested> {
  const settled = context.settled.splice(0)
  let kept = false
  try {
    const { alongside, ...ingested } = await takeReports(
      context,
      items,
      settled.map(({ keeps }) => keeps),
    )
    kept = alongside
    return ingested
  } finally {
    answerSettled(context, socket, settled, kept)
  }
}

async function welcome(context: FrameContext, socket: HostSocket, hello: Hello): Promise<void> {
  const { env, host, store } = context
  await bootstrapServerWebhook(env, store)
  if (hello.wire > WIRE)
    return hangUp(
      socket,
      CLOSE_WRONG_WIRE,
      `this edge is older (wire ${WIRE}): it is upgraded before its hosts`,
    )
  if (hello.wire < OLDEST_WIRE)
    return hangUp(socket, CLOSE_WRONG_WIRE, `this edge speaks wire ${OLDEST_WIRE} to ${WIRE}`)
  const { boot, slots, store: storeId } = hello
  const sessions = hello.sessions.filter(({ status }) => status !== 'disconnected').length
  if (!(await renewLease(store, context, leaseOf(env), { boot, slots, sessions, storeId })))
    return hangUp(socket, CLOSE_UNWELCOME, UNKNOWN_HOST)

  const displaced = replaceOthers(context.sockets(), socket)
  attach(socket, conflictOf(env, host, boot, displaced))

  const { release, gone, hold } = await compared(context, hello)
  attach(socket, { welcomed: true })
  const terms = { heartbeatMs: heartbeatOf(env), leaseMs: leaseOf(env), credit: CREDIT }
  send(socket, [
    { t: 'welcome', host, ...terms, release, gone },
    ...holdFrames(hold),
    ...context.pending.questions(),
  ])
  log(env, 'info', 'host linked', {
    ...{ host, slots, sessions: hello.sessions.length },
    ...{ released: release.length, gone: gone.length, held: hold.length },
  })
  context.later(takeOverForStore(env, store, storeId))
  // The edge may have died during deliveries; it is up again when hosts link.
  context.later(wakeDue(env))
}

/** Compares the sessions that a host says it has with its assignments. Runs after its lease was renewed, so nothing is moved meanwhile. */
async function compared({ store, host }: FrameContext, { sessions }: Hello) {
  const had = new Map(sessions.map(({ instance, epoch }) => [instance, epoch]))
  const [own, elsewhere] = await Promise.all([assignedTo(store, host), assignmentsOf(store, [...had.keys()])])
  const known = new Map(elsewhere.map((one) => [one.instance, one]))
  const missing = own.map(({ instance }) => instance).filter((instance) => !had.has(instance))
  const anew = await beginAnew(store, host, missing)
  const begun = new Set(anew.map(({ instance }) => instance))
  const newer = own.filter(({ instance, epoch, wanted }) => wanted && epoch > (had.get(instance) ?? 0))
  return {
    gone: [...had.keys()].filter((instance) => !known.has(instance)),
    release: elsewhere.filter(({ hostId }) => hostId !== host).map(({ instance }) => instance),
    hold: [...newer.filter(({ instance }) => !begun.has(instance)), ...anew],
  }
}
