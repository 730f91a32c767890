// What the edge does with each frame of a host.

import {
  type Act,
  CLOSE_UNWELCOME,
  CLOSE_WRONG_WIRE,
  type HostFrame,
  WIRE,
} from '../../shared/wire/frames.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { SessionState } from '../../shared/wire/session-state.ts'
import { bootstrapServerWebhook } from '../delivery/bootstrap.ts'
import { tellArrived } from '../delivery/wake.ts'
import { wakeDue } from '../delivery/wake-due.ts'
import { type Env, leaseOf } from '../env.ts'
import { log } from '../log.ts'
import { sealState } from '../pairings.ts'
import { assignedTo, assignmentsOf, beginAnew } from '../store/assignments.ts'
import type { Store } from '../store/database.ts'
import { markDraining, renewLease } from '../store/hosts.ts'
import { keepState } from '../store/states.ts'
import { contestOf } from './contest.ts'
import { keptBy, passOn, takeOverForStore } from './handover.ts'
import { keepLate } from './late.ts'
import { attach, attached, hangUp, holding, releasing, replaceOthers, send } from './line.ts'
import type { Pending } from './pending.ts'
import { CREDIT, heartbeatOf } from './pulse.ts'
import { takeReports } from './reports.ts'

/** What handling a frame may touch of the object that holds the link. */
export interface Room {
  env: Env
  host: string
  /** Of the token that it came with: it counts only as long as the token does. */
  tokenHash: string
  store: Store
  pending: Pending
  sockets(): WebSocket[]
  /** Work that the next frame need not wait for. */
  later(work: Promise<unknown>): void
}

const NOT_KNOWN = 'this host is not registered, or its token was replaced'

type Hello = Extract<HostFrame, { t: 'hello' }>

export async function answerFrame(room: Room, socket: WebSocket, frame: HostFrame): Promise<void> {
  const { env, host, pending, store } = room
  if (frame.t === 'hello') return welcome(room, socket, frame)
  if (!attached(socket).welcomed) return hangUp(socket, CLOSE_UNWELCOME, 'hello comes first')
  switch (frame.t) {
    case 'beat': {
      const { sessions, lag } = frame
      const known = await renewLease(store, room, leaseOf(env), { sessions, lag: Math.round(lag) })
      if (!known) return hangUp(socket, CLOSE_UNWELCOME, NOT_KNOWN)
      send(socket, [{ t: 'beaten' }])
      return
    }
    case 'accepted':
      return pending.accepted(frame.id)
    case 'outcome':
      await takeOutcome(room, frame.id, frame.outcome as Outcome)
      send(socket, [{ t: 'seen', id: frame.id }])
      return
    case 'not_started':
      return pending.never(frame.id)
    case 'events': {
      const { waiting, moved } = await takeReports(room, frame.items)
      send(socket, [{ t: 'ack', upTo: Math.max(...frame.items.map((report) => report.n)), moved }])
      room.later(Promise.all(waiting.map((instance) => tellArrived(env, instance))))
      return
    }
    case 'draining':
      log(env, 'info', 'host draining', { host })
      await markDraining(store, host)
      return
    case 'yielded': {
      const moved = await passOn(env, store, host, frame.sessions)
      const kept = await keptBy(store, host, frame.sessions)
      send(socket, [...releasing(moved.map(({ instance }) => instance)), ...holding(kept)])
      return
    }
    default:
      return frame satisfies never
  }
}

async function welcome(room: Room, socket: WebSocket, hello: Hello): Promise<void> {
  const { env, host, store } = room
  await bootstrapServerWebhook(env, store)
  if (hello.wire !== WIRE) return hangUp(socket, CLOSE_WRONG_WIRE, `this edge speaks wire ${WIRE}`)
  const { boot, slots, store: storeId } = hello
  const sessions = hello.sessions.filter(({ status }) => status !== 'disconnected').length
  if (!(await renewLease(store, room, leaseOf(env), { boot, slots, sessions, storeId })))
    return hangUp(socket, CLOSE_UNWELCOME, NOT_KNOWN)

  const displaced = replaceOthers(room.sockets(), socket)
  attach(socket, contestOf(env, host, boot, displaced))

  const { release, gone, hold } = await compared(room, hello)
  attach(socket, { welcomed: true })
  const terms = { heartbeatMs: heartbeatOf(env), leaseMs: leaseOf(env), credit: CREDIT }
  send(socket, [
    { t: 'welcome', host, ...terms, release, gone },
    ...holding(hold),
    ...room.pending.questions(),
  ])
  log(env, 'info', 'host linked', {
    ...{ host, slots, sessions: hello.sessions.length },
    ...{ released: release.length, gone: gone.length, held: hold.length },
  })
  room.later(takeOverForStore(env, store, storeId))
  // An edge that died in the middle of delivering comes back together with its links.
  room.later(wakeDue(env))
}

/** What a host says it has, against what it was given. After its lease was renewed: from then on nothing is moved. */
async function compared({ store, host }: Room, { sessions }: Hello) {
  const had = new Map(sessions.map(({ instance, epoch }) => [instance, epoch]))
  const [own, told] = await Promise.all([assignedTo(store, host), assignmentsOf(store, [...had.keys()])])
  const known = new Map(told.map((one) => [one.instance, one]))
  const unheardOf = own.map(({ instance }) => instance).filter((instance) => !had.has(instance))
  const anew = await beginAnew(store, host, unheardOf)
  const begun = new Set(anew.map(({ instance }) => instance))
  const newer = own.filter(({ instance, epoch, wanted }) => wanted && epoch > (had.get(instance) ?? 0))
  return {
    gone: [...had.keys()].filter((instance) => !known.has(instance)),
    release: told.filter(({ hostId }) => hostId !== host).map(({ instance }) => instance),
    hold: [...newer.filter(({ instance }) => !begun.has(instance)), ...anew],
  }
}

async function takeOutcome(room: Room, id: string, outcome: Outcome): Promise<void> {
  const act = room.pending.act(id)
  if (!act) return keepLate(room.env, room.store, id, outcome)
  await keepOutcomeState(room, act, outcome)
  room.pending.resolve(id, outcome)
}

/** So that whoever asked, and then asks for the status, is told nothing older than the outcome. */
async function keepOutcomeState(room: Room, act: Act, outcome: Outcome): Promise<void> {
  if (!act.action.startsWith('session.') || outcome.kind !== 'done') return
  const result = outcome.result as { state?: unknown } | null
  const { data: state } = SessionState.safeParse(result?.state ?? result)
  if (!state) return
  const sealed = await sealState(room.env, { instance: act.instance, epoch: act.epoch, state })
  await room.store.write([keepState(room.store, room.host, sealed)])
}
