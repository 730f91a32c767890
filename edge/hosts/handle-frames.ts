// Handles each frame that a host sends to the edge.

import { MINUTE } from '@msgnet/shared/date-time.ts'
import {
  CLOSE_REJECTED,
  CLOSE_WRONG_WIRE,
  type HostFrame,
  MIN_WIRE_VERSION,
  WIRE_VERSION,
} from '@msgnet/shared/wire/link-frames.ts'
import { bootstrapServerWebhook } from '../delivery/bootstrap-webhook.ts'
import { deliverPresence } from '../delivery/deliver-presence.ts'
import { notifyEventsStored } from '../delivery/notify-couriers.ts'
import { wakeDueCouriers } from '../delivery/wake-due-couriers.ts'
import { count } from '../observability/counters.ts'
import { log } from '../observability/edge-log.ts'
import type { HostSocket } from '../runtime/runtime.ts'
import { type Env, readLeaseMs } from '../settings/env.ts'
import { findAssignments, listAssigned, startNextEpoch } from '../store/assignment-queries.ts'
import type { Store } from '../store/database/open-store.ts'
import type { Ingested } from '../store/events/ingest-reports.ts'
import { markDraining, renewLease } from '../store/host-queries.ts'
import { answerKeyedOutcomes, handleNotStarted, handleOutcome, type KeyedOutcome } from './handle-outcomes.ts'
import {
  type Attachment,
  buildHoldFrames,
  buildReleaseFrames,
  changeAttachment,
  closeSocket,
  isCurrent,
  readAttachment,
  replaceOthers,
  sendFrames,
} from './host-socket.ts'
import { CREDIT, readHeartbeatMs } from './link-timing.ts'
import type { PendingActs } from './pending-acts.ts'
import { findRemaining, reassignWithinStore, reassignYielded } from './reassign-instances.ts'
import { storeReports } from './store-reports.ts'

/** What the code needs to handle a frame: the link, its host, the store. */
export interface FrameContext {
  env: Env
  host: string
  /** Digest of the token that the link was opened with: the link is valid as long as the token is. */
  tokenHash: string
  store: Store
  pending: PendingActs
  /** Outcomes in the current WebSocket message whose responses are stored in the same write as its reports. */
  keyedOutcomes: KeyedOutcome[]
  listSockets(): HostSocket[]
  /** Work that the next frame need not wait for. */
  runInBackground(work: Promise<unknown>): void
}

const UNKNOWN_HOST = 'this host is not registered, or its token was replaced'

type Hello = Extract<HostFrame, { t: 'hello' }>

export async function handleFrame(
  context: FrameContext,
  socket: HostSocket,
  frame: HostFrame,
): Promise<void> {
  const { env, host, pending, store } = context
  if (frame.t === 'hello') return handleHello(context, socket, frame)
  if (!readAttachment(socket).welcomed) return closeSocket(socket, CLOSE_REJECTED, 'hello comes first')
  switch (frame.t) {
    case 'beat': {
      const { sessions, lag } = frame
      const isKnown = await renewLease(store, context, readLeaseMs(env), { sessions, lag: Math.round(lag) })
      if (!isKnown) return closeSocket(socket, CLOSE_REJECTED, UNKNOWN_HOST)
      sendFrames(socket, [{ t: 'beaten' }])
      return
    }
    case 'accepted':
      return pending.markAccepted(frame.id)
    case 'outcome':
      return handleOutcome(context, socket, frame)
    case 'not_started':
      return handleNotStarted(context, frame)
    case 'events': {
      const { arrivals, moved, unwanted } = await handleReports(context, socket, frame)
      const upTo = Math.max(...frame.items.map((report) => report.n))
      sendFrames(socket, [{ t: 'ack', upTo, moved, ...(unwanted.length > 0 && { unwanted }) }])
      context.runInBackground(Promise.all(arrivals.map((arrival) => notifyEventsStored(env, arrival))))
      return
    }
    case 'presence':
      // Neither acknowledged nor waited for: the frames behind it matter more.
      context.runInBackground(deliverPresence(context, frame.items))
      return
    case 'draining':
      log(env, 'info', 'host draining', { host })
      await markDraining(store, host, [])
      return
    case 'yielded': {
      await reassignYielded(env, store, host, frame.sessions)
      const remaining = await findRemaining(store, host, frame.sessions)
      const held = new Set(remaining.map(({ instance }) => instance))
      const yielded = frame.sessions.map(({ instance }) => instance)
      // Those too that stay here without a session: the next act brings one back.
      sendFrames(socket, [
        ...buildReleaseFrames(yielded.filter((instance) => !held.has(instance))),
        ...buildHoldFrames(remaining),
      ])
      return
    }
    default:
      return frame satisfies never
  }
}

async function handleReports(
  context: FrameContext,
  socket: HostSocket,
  { items }: Extract<HostFrame, { t: 'events' }>,
): Promise<Ingested> {
  const keyedOutcomes = context.keyedOutcomes.splice(0)
  let isStored = false
  try {
    const { alongside, ...ingested } = await storeReports(
      context,
      items,
      keyedOutcomes.map(({ responseWrite }) => responseWrite),
    )
    isStored = alongside
    return ingested
  } finally {
    answerKeyedOutcomes(context, socket, keyedOutcomes, isStored)
  }
}

async function handleHello(context: FrameContext, socket: HostSocket, hello: Hello): Promise<void> {
  const { env, host, store } = context
  await bootstrapServerWebhook(env, store)
  if (hello.wire > WIRE_VERSION)
    return closeSocket(
      socket,
      CLOSE_WRONG_WIRE,
      `this edge is older (wire ${WIRE_VERSION}): it is upgraded before its hosts`,
    )
  if (hello.wire < MIN_WIRE_VERSION)
    return closeSocket(
      socket,
      CLOSE_WRONG_WIRE,
      `this edge speaks wire ${MIN_WIRE_VERSION} to ${WIRE_VERSION}`,
    )
  const { boot, slots, store: storeId } = hello
  const sessions = hello.sessions.filter(({ status }) => status !== 'disconnected').length
  if (!(await renewLease(store, context, readLeaseMs(env), { boot, slots, sessions, storeId })))
    return closeSocket(socket, CLOSE_REJECTED, UNKNOWN_HOST)
  // Another link of this host said hello meanwhile, and has taken over.
  if (!isCurrent(socket)) return

  const displaced = replaceOthers(context.listSockets(), socket)
  changeAttachment(socket, detectConflict(env, host, boot, displaced))

  const { release, gone, hold } = await compareSessions(context, hello)
  changeAttachment(socket, { welcomed: true, keepsToChats: hello.chats === true })
  const terms = {
    heartbeatMs: readHeartbeatMs(env),
    leaseMs: readLeaseMs(env),
    credit: CREDIT,
    presence: true,
  }
  sendFrames(socket, [
    { t: 'welcome', host, ...terms, release, gone },
    ...buildHoldFrames(hold),
    ...context.pending.buildOutcomeRequests(),
  ])
  log(env, 'info', 'host linked', {
    host,
    slots,
    sessions: hello.sessions.length,
    released: release.length,
    gone: gone.length,
    held: hold.length,
  })
  context.runInBackground(reassignWithinStore(env, store, storeId))
  // The edge may have died during deliveries; it is up again when hosts link.
  context.runInBackground(wakeDueCouriers(env))
}

/** Compares the sessions that a host reports with its assignments. Runs after its lease was renewed, so nothing is moved meanwhile. */
async function compareSessions({ store, host }: FrameContext, { sessions }: Hello) {
  const had = new Map(sessions.map(({ instance, epoch }) => [instance, epoch]))
  const [own, elsewhere] = await Promise.all([
    listAssigned(store, host),
    findAssignments(store, [...had.keys()]),
  ])
  const assignments = new Map(elsewhere.map((one) => [one.instance, one]))
  const missing = own.map(({ instance }) => instance).filter((instance) => !had.has(instance))
  const restarted = await startNextEpoch(store, host, missing)
  const begun = new Set(restarted.map(({ instance }) => instance))
  const newer = own.filter(
    ({ instance, epoch, isExpected }) => isExpected && epoch > (had.get(instance) ?? 0),
  )
  return {
    gone: [...had.keys()].filter((instance) => !assignments.has(instance)),
    release: elsewhere.filter(({ hostId }) => hostId !== host).map(({ instance }) => instance),
    hold: [...newer.filter(({ instance }) => !begun.has(instance)), ...restarted],
  }
}

/** Restarts and lost connections do not replace a link more often than this in a minute. */
const MAX_DISPLACED = 2
const MAX_DISPLACED_STORED = 8

type LinkConflict = Pick<Attachment, 'boot' | 'displacedAt' | 'alarmedAt'>

/**
 * Two processes with the same host token replace each other's link again and again. That is detected by how often it happens, and
 * logged. Returns what the new link takes over from those that it replaces; it is attached to the socket, because the object's memory
 * does not last.
 */
function detectConflict(env: Env, host: string, boot: string, displaced: LinkConflict[]): LinkConflict {
  const now = Date.now()
  const before = displaced.flatMap(({ displacedAt }) => displacedAt).filter((at) => at > now - MINUTE)
  const alarmedAt = Math.max(0, ...displaced.map((conflict) => conflict.alarmedAt))
  if (!displaced.some((conflict) => conflict.boot !== boot)) return { boot, displacedAt: before, alarmedAt }
  const displacedAt = [...before, now].slice(-MAX_DISPLACED_STORED)
  if (displacedAt.length <= MAX_DISPLACED) return { boot, displacedAt, alarmedAt }
  count('edge_contested_links_total', { host })
  if (now - alarmedAt < MINUTE) return { boot, displacedAt, alarmedAt }
  log(env, 'error', 'two processes use the same host token', { host, displaced: displacedAt.length })
  return { boot, displacedAt, alarmedAt: now }
}
