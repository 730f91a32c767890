// The object that holds the link to one session host, a WebSocket that the host opens. The runtime may drop the object's memory
// while the socket is open.

import {
  type Act,
  type Assignment,
  CLOSE_REJECTED,
  explainMalformed,
  HostFrame,
  type OutcomeQuery,
  parseHostFrames,
} from '@msgnet/shared/wire/link-frames.ts'
import { createRefusal } from '@msgnet/shared/wire/outcome.ts'
import { SendQuota } from '../limits/quotas.ts'
import type { ActOutcome, KeyedResponse, LinkObject } from '../objects/objects.ts'
import { log } from '../observability/edge-log.ts'
import { createDeadlines } from '../runtime/deadlines.ts'
import type { HostSocket, ObjectState } from '../runtime/runtime.ts'
import { type Env, type ObjectEnv, readLeaseMs } from '../settings/env.ts'
import { openStore } from '../store/database/open-store.ts'
import { readLeaseLeft } from '../store/host-queries.ts'
import { type FrameContext, handleFrame } from './handle-frames.ts'
import { findKeyedOutcomes, storeKeyedOutcomes } from './handle-outcomes.ts'
import {
  buildHoldFrames,
  buildYieldFrames,
  changeAttachment,
  closeSocket,
  createAttachment,
  findCurrent,
  isCurrent,
  readAttachment,
  sendFrames,
} from './host-socket.ts'
import { readMaxSilence } from './link-timing.ts'
import { PendingActs } from './pending-acts.ts'
import { PendingTransfers } from './pending-transfers.ts'
import { listYieldable, reassignFromDeadHost } from './reassign-instances.ts'

/** Standard close code: the server met a condition that it did not expect. */
const CLOSE_TROUBLE = 1011
const CLOSE_SILENT = 4004
/** Storage key of the host's id: an alarm is called without arguments. */
const HOST = 'host'
/** Added to the end of a lease, so that it has surely ended by the clock of the database. */
const SURELY_MS = 100
/** A host of before would ignore the chats of an act. */
const TOO_OLD = createRefusal('session_conflict', 'The session host is too old for a token for some chats.')

export class HostLink implements LinkObject {
  readonly #state: ObjectState
  readonly #env: ObjectEnv
  readonly #pending: PendingActs
  /** Messages of a socket are handled one after another: a later one may depend on what an earlier one wrote. */
  readonly #queues = new WeakMap<HostSocket, Promise<void>>()
  readonly #transfers: PendingTransfers
  readonly #sends: SendQuota

  constructor(state: ObjectState, env: Env) {
    this.#state = state
    this.#env = { ...env, setDeadline: createDeadlines() }
    this.#pending = new PendingActs(this.#env.setDeadline)
    this.#transfers = new PendingTransfers(this.#env.setDeadline)
    this.#sends = new SendQuota(this.#env)
  }

  /** Called with the socket of a host that was authenticated, before its first frame. */
  async socketOpened(socket: HostSocket, host: string, tokenHash: string): Promise<void> {
    socket.serializeAttachment(createAttachment(host, tokenHash))
    await this.#state.storage.put(HOST, host)
    await this.#setAlarm()
  }

  async dispatchAct(act: Act, waitMs: number, keyedResponse?: KeyedResponse): Promise<ActOutcome> {
    const socket = findCurrent(this.#state.getWebSockets())
    if (!socket) return { kind: 'not started' }
    if (act.chats && !readAttachment(socket).keepsToChats) return TOO_OLD
    const overQuotaMs = this.#sends.acquireSend(act)
    if (overQuotaMs > 0) return { kind: 'over quota', waitMs: overQuotaMs }
    const outcome = this.#pending.add(act, waitMs, keyedResponse)
    if (!sendFrames(socket, [act])) this.#pending.resolveNotStarted(act.id)
    return outcome
  }

  async requestOutcome(act: Act, boot: string, keyedResponse: KeyedResponse): Promise<ActOutcome> {
    if (this.#pending.find(act.id)) return { kind: 'not started' }
    const refuse = boot === '' ? {} : { refuse: { instance: act.instance, boot } }
    const query: OutcomeQuery = { t: 'what', id: act.id, ...refuse }
    const outcome = this.#pending.ask(act, query, keyedResponse)
    const socket = findCurrent(this.#state.getWebSockets())
    // Without a link it is asked when the host has dialled: after a restart of the edge that is a moment later.
    if (socket) sendFrames(socket, [query])
    return outcome
  }

  async isLinked(): Promise<boolean> {
    return findCurrent(this.#state.getWebSockets()) !== undefined
  }

  async isPending(id: string): Promise<boolean> {
    return this.#pending.find(id) !== undefined
  }

  async sendAssignments(assignments: Assignment[]): Promise<void> {
    const socket = findCurrent(this.#state.getWebSockets())
    if (socket) sendFrames(socket, buildHoldFrames(assignments))
  }

  async watchLease(host: string): Promise<void> {
    if ((await this.#state.storage.getAlarm()) !== null) return
    await this.#state.storage.put(HOST, host)
    await this.#setAlarm()
  }

  async drainHost(): Promise<void> {
    const socket = findCurrent(this.#state.getWebSockets())
    if (!socket) return
    const { host } = readAttachment(socket)
    sendFrames(socket, buildYieldFrames(await listYieldable(this.#env, openStore(this.#env), host)))
  }

  async closeLink(why: string): Promise<void> {
    for (const socket of this.#state.getWebSockets()) closeSocket(socket, CLOSE_REJECTED, why)
  }

  uploadTransfer(transfer: string, body: ReadableStream<Uint8Array>, signal?: AbortSignal): Promise<boolean> {
    return this.#transfers.upload(transfer, body, signal)
  }

  downloadTransfer(transfer: string, signal?: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined> {
    return this.#transfers.download(transfer, signal)
  }

  async socketMessage(socket: HostSocket, message: string | ArrayBuffer): Promise<void> {
    const frames = typeof message === 'string' ? parseHostFrames(message) : undefined
    if (!frames) {
      const reason =
        typeof message === 'string' ? explainMalformed(message, HostFrame) : 'these are no frames'
      log(this.#env, 'warn', 'failed to parse frames', { host: readAttachment(socket).host, reason })
      return closeSocket(socket, CLOSE_REJECTED, reason)
    }
    // Only frames that renew the lease count, so that a silent link ends before the lease does.
    if (frames.some(({ t }) => t === 'beat' || t === 'hello'))
      changeAttachment(socket, { receivedAt: Date.now() })
    const before = this.#queues.get(socket) ?? Promise.resolve()
    const handled = before.then(() => this.#take(socket, frames))
    this.#queues.set(socket, handled)
    await handled
  }

  async socketClosed(socket: HostSocket, code: number): Promise<void> {
    log(this.#env, 'info', 'link closed', { host: readAttachment(socket).host, code })
    closeSocket(socket, 1000, '')
    await this.#setAlarm()
  }

  async socketBroke(socket: HostSocket): Promise<void> {
    log(this.#env, 'info', 'link broken', { host: readAttachment(socket).host })
    closeSocket(socket, CLOSE_TROUBLE, '')
    await this.#setAlarm()
  }

  /** Closes a link that is open but unresponsive, so that acts do not wait for it. If the lease has ended, other hosts get its instances. */
  async alarm(): Promise<void> {
    for (const socket of this.#current()) {
      if (readAttachment(socket).receivedAt + readMaxSilence(this.#env) > Date.now()) continue
      log(this.#env, 'warn', 'link unresponsive', { host: readAttachment(socket).host })
      closeSocket(socket, CLOSE_SILENT, 'no heartbeat')
    }
    if (await this.#setAlarm()) return
    const host = await this.#state.storage.get<string>(HOST)
    if (host) await reassignFromDeadHost(this.#env, openStore(this.#env), host)
  }

  #current(): HostSocket[] {
    return this.#state.getWebSockets().filter(isCurrent)
  }

  /** Sets the alarm for the time when the link counts as silent or the lease has ended. Returns false if there is neither. */
  async #setAlarm(): Promise<boolean> {
    const receivedAt = this.#current().map((socket) => readAttachment(socket).receivedAt)
    if (receivedAt.length > 0) {
      await this.#state.storage.setAlarm(Math.min(...receivedAt) + readMaxSilence(this.#env))
      return true
    }
    const host = await this.#state.storage.get<string>(HOST)
    const left = host ? await this.#leaseLeft(host) : 0
    if (left > 0) await this.#state.storage.setAlarm(Date.now() + left + SURELY_MS)
    return left > 0
  }

  /** While the database does not respond, the lease may still run. */
  async #leaseLeft(host: string): Promise<number> {
    try {
      return await readLeaseLeft(openStore(this.#env), host)
    } catch (error) {
      log(this.#env, 'warn', 'failed to read lease', { host, error })
      return readLeaseMs(this.#env)
    }
  }

  async #take(socket: HostSocket, frames: HostFrame[]): Promise<void> {
    const context: FrameContext = {
      env: this.#env,
      host: readAttachment(socket).host,
      tokenHash: readAttachment(socket).tokenHash,
      store: openStore(this.#env),
      pending: this.#pending,
      keyedOutcomes: [],
      listSockets: () => this.#state.getWebSockets(),
      runInBackground: (work) => this.#state.waitUntil(work),
    }
    try {
      // The host sends everything on its new link again.
      if (!isCurrent(socket)) return
      context.keyedOutcomes.push(...(await findKeyedOutcomes(context, frames)))
      const keyedIds = new Set(context.keyedOutcomes.map(({ id }) => id))
      if (!frames.some(({ t }) => t === 'events')) this.#storeLeftOutcomes(context, socket)
      for (const frame of frames) {
        if (!isCurrent(socket)) return
        if (frame.t !== 'outcome' || !keyedIds.has(frame.id)) await handleFrame(context, socket, frame)
      }
    } catch (error) {
      // Nothing was acknowledged, so the host sends it again on its next link.
      log(this.#env, 'error', 'failed to handle frames', { host: context.host, error })
      closeSocket(socket, CLOSE_TROUBLE, 'try again')
    } finally {
      this.#storeLeftOutcomes(context, socket)
    }
  }

  /** Stores the responses that were not stored with a report. No frame waits for this. */
  #storeLeftOutcomes(context: FrameContext, socket: HostSocket): void {
    const keyedOutcomes = context.keyedOutcomes.splice(0)
    if (keyedOutcomes.length > 0) context.runInBackground(storeKeyedOutcomes(context, socket, keyedOutcomes))
  }
}
