// The object that holds the link to one session host, a WebSocket that the host opens. The runtime may drop the object's memory
// while the socket is open.

import {
  type Act,
  type Assignment,
  CLOSE_UNWELCOME,
  HostFrame,
  parseHostFrames,
  whyMalformed,
} from '../../shared/wire/frames.ts'
import { makeDeadlines } from '../deadlines.ts'
import { type Env, leaseOf, type ObjectEnv } from '../env.ts'
import { log, reasonOf } from '../log.ts'
import type { Answer, Keeping, LinkObject } from '../objects.ts'
import type { HostSocket, ObjectState } from '../runtime.ts'
import { openStore } from '../store/database/database.ts'
import { leaseLeft } from '../store/hosts.ts'
import { answerFrame, type FrameContext } from './frames.ts'
import { takeOverFrom, yieldable } from './handover.ts'
import { silenceOf } from './heartbeat.ts'
import { keepSettled, settledBy } from './outcomes.ts'
import { Pending } from './pending.ts'
import { Sends } from './sends.ts'
import {
  attach,
  attached,
  currentOf,
  hangUp,
  holdFrames,
  isCurrent,
  send,
  unheard,
  yieldFrames,
} from './socket.ts'
import { Transfers } from './transfers.ts'

/** Standard close code: the server met a condition that it did not expect. */
const CLOSE_TROUBLE = 1011
const CLOSE_SILENT = 4004
/** Storage key of the host's id: an alarm is called without arguments. */
const HOST = 'host'
/** Added to the end of a lease, so that it has surely ended by the clock of the database. */
const SURELY_MS = 100

export class HostLink implements LinkObject {
  readonly #state: ObjectState
  readonly #env: ObjectEnv
  readonly #pending: Pending
  /** Messages of a socket are handled one after another: a later one may depend on what an earlier one wrote. */
  readonly #queues = new WeakMap<HostSocket, Promise<void>>()
  readonly #transfers: Transfers
  readonly #sends: Sends

  constructor(state: ObjectState, env: Env) {
    this.#state = state
    this.#env = { ...env, after: makeDeadlines() }
    this.#pending = new Pending(this.#env.after)
    this.#transfers = new Transfers(this.#env.after)
    this.#sends = new Sends(this.#env)
  }

  /** Called with the socket of a host that was authenticated, before its first frame. */
  async socketOpened(socket: HostSocket, host: string, tokenHash: string): Promise<void> {
    socket.serializeAttachment(unheard(host, tokenHash))
    await this.#state.storage.put(HOST, host)
    await this.#setAlarm()
  }

  async act(act: Act, patience: number, keeping?: Keeping): Promise<Answer> {
    const socket = currentOf(this.#state.getWebSockets())
    if (!socket) return { kind: 'not started' }
    const waitMs = this.#sends.take(act)
    if (waitMs > 0) return { kind: 'over quota', waitMs }
    const answer = this.#pending.add(act, patience, keeping)
    if (!send(socket, [act])) this.#pending.notStarted(act.id)
    return answer
  }

  async recall(act: Act): Promise<Answer> {
    const socket = currentOf(this.#state.getWebSockets())
    if (!socket || this.#pending.find(act.id)) return { kind: 'not started' }
    const answer = this.#pending.add(act)
    send(socket, [{ t: 'what', id: act.id }])
    return answer
  }

  async isLinked(): Promise<boolean> {
    return currentOf(this.#state.getWebSockets()) !== undefined
  }

  async isPending(id: string): Promise<boolean> {
    return this.#pending.find(id) !== undefined
  }

  async hold(assignments: Assignment[]): Promise<void> {
    const socket = currentOf(this.#state.getWebSockets())
    if (socket) send(socket, holdFrames(assignments))
  }

  async watchLease(host: string): Promise<void> {
    if ((await this.#state.storage.getAlarm()) !== null) return
    await this.#state.storage.put(HOST, host)
    await this.#setAlarm()
  }

  async drain(): Promise<void> {
    const socket = currentOf(this.#state.getWebSockets())
    if (socket) send(socket, yieldFrames(await yieldable(openStore(this.#env), attached(socket).host)))
  }

  async dismiss(why: string): Promise<void> {
    for (const socket of this.#state.getWebSockets()) hangUp(socket, CLOSE_UNWELCOME, why)
  }

  upload(transfer: string, body: ReadableStream<Uint8Array>): Promise<boolean> {
    return this.#transfers.upload(transfer, body)
  }

  download(transfer: string): Promise<ReadableStream<Uint8Array> | undefined> {
    return this.#transfers.download(transfer)
  }

  async socketMessage(socket: HostSocket, message: string | ArrayBuffer): Promise<void> {
    const frames = typeof message === 'string' ? parseHostFrames(message) : undefined
    if (!frames) {
      const reason = typeof message === 'string' ? whyMalformed(message, HostFrame) : 'these are no frames'
      log(this.#env, 'warn', 'frames do not parse', { host: attached(socket).host, reason })
      return hangUp(socket, CLOSE_UNWELCOME, reason)
    }
    // Only frames that renew the lease count, so that a silent link ends before the lease does.
    if (frames.some(({ t }) => t === 'beat' || t === 'hello')) attach(socket, { heardAt: Date.now() })
    const before = this.#queues.get(socket) ?? Promise.resolve()
    const taken = before.then(() => this.#take(socket, frames))
    this.#queues.set(socket, taken)
    await taken
  }

  async socketClosed(socket: HostSocket, code: number): Promise<void> {
    log(this.#env, 'info', 'link closed', { host: attached(socket).host, code })
    hangUp(socket, 1000, '')
    await this.#setAlarm()
  }

  async socketBroke(socket: HostSocket): Promise<void> {
    log(this.#env, 'info', 'link broke', { host: attached(socket).host })
    hangUp(socket, CLOSE_TROUBLE, '')
    await this.#setAlarm()
  }

  /** Closes a link that is open but silent, so that acts do not wait for it. If the lease has ended, others take over. */
  async alarm(): Promise<void> {
    for (const socket of this.#current()) {
      if (attached(socket).heardAt + silenceOf(this.#env) > Date.now()) continue
      log(this.#env, 'warn', 'link silent', { host: attached(socket).host })
      hangUp(socket, CLOSE_SILENT, 'no heartbeat')
    }
    if (await this.#setAlarm()) return
    const host = await this.#state.storage.get<string>(HOST)
    if (host) await takeOverFrom(this.#env, openStore(this.#env), host)
  }

  #current(): HostSocket[] {
    return this.#state.getWebSockets().filter(isCurrent)
  }

  /** Sets the alarm for the time when the link counts as silent or the lease has ended. Returns false if there is neither. */
  async #setAlarm(): Promise<boolean> {
    const heard = this.#current().map((socket) => attached(socket).heardAt)
    if (heard.length > 0) {
      await this.#state.storage.setAlarm(Math.min(...heard) + silenceOf(this.#env))
      return true
    }
    const host = await this.#state.storage.get<string>(HOST)
    const left = host ? await this.#leaseLeft(host) : 0
    if (left > 0) await this.#state.storage.setAlarm(Date.now() + left + SURELY_MS)
    return left > 0
  }

  /** While the database does not answer, the lease may still run. */
  async #leaseLeft(host: string): Promise<number> {
    try {
      return await leaseLeft(openStore(this.#env), host)
    } catch (error) {
      log(this.#env, 'warn', 'lease not read', { host, reason: reasonOf(error) })
      return leaseOf(this.#env)
    }
  }

  async #take(socket: HostSocket, frames: HostFrame[]): Promise<void> {
    const context: FrameContext = {
      env: this.#env,
      ...{ host: attached(socket).host, tokenHash: attached(socket).tokenHash },
      store: openStore(this.#env),
      pending: this.#pending,
      settled: [],
      sockets: () => this.#state.getWebSockets(),
      later: (work) => this.#state.waitUntil(work),
    }
    try {
      // The host sends everything on its new link again.
      if (!isCurrent(socket)) return
      context.settled.push(...(await settledBy(context, frames)))
      const settled = new Set(context.settled.map(({ id }) => id))
      if (!frames.some(({ t }) => t === 'events')) this.#keepSettled(context, socket)
      for (const frame of frames) {
        if (!isCurrent(socket)) return
        if (frame.t !== 'outcome' || !settled.has(frame.id)) await answerFrame(context, socket, frame)
      }
    } catch (error) {
      // Nothing was acknowledged, so the host sends it again on its next link.
      log(this.#env, 'error', 'link failed', { host: context.host, reason: reasonOf(error) })
      hangUp(socket, CLOSE_TROUBLE, 'try again')
    } finally {
      this.#keepSettled(context, socket)
    }
  }

  /** Stores the answers that no report took with it. No frame waits for this. */
  #keepSettled(context: FrameContext, socket: HostSocket): void {
    const settled = context.settled.splice(0)
    if (settled.length > 0) context.later(keepSettled(context, socket, settled))
  }
}
