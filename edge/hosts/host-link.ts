// The object that holds the link to one session host, a hibernating WebSocket that the host opens.

import { DurableObject } from 'cloudflare:workers'
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

export class HostLink extends DurableObject<ObjectEnv> implements LinkObject {
  readonly #pending = new Pending(this.env.after)
  /** Messages of a socket are handled one after another: a later one may depend on what an earlier one wrote. */
  readonly #queues = new WeakMap<WebSocket, Promise<void>>()

  readonly #transfers = new Transfers(this.env.after)
  readonly #sends = new Sends(this.env)

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, { ...env, after: makeDeadlines() })
  }

  /** The worker has authenticated the host, and passes its id in `x-host` and the digest of its token in `x-token-hash`. */
  override async fetch(request: Request): Promise<Response> {
    const [, transfer] = /^\/transfers\/([\w-]+)$/.exec(new URL(request.url).pathname) ?? []
    if (transfer !== undefined) return this.#transfer(transfer, request)
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server)
    const host = request.headers.get('x-host') ?? ''
    await this.ctx.storage.put(HOST, host)
    const tokenHash = request.headers.get('x-token-hash') ?? ''
    server.serializeAttachment(unheard(host, tokenHash))
    await this.#setAlarm()
    return new Response(null, { status: 101, webSocket: client })
  }

  async act(act: Act, patience: number, keeping?: Keeping): Promise<Answer> {
    const socket = currentOf(this.ctx.getWebSockets())
    if (!socket) return { kind: 'not started' }
    const waitMs = this.#sends.take(act)
    if (waitMs > 0) return { kind: 'over quota', waitMs }
    const answer = this.#pending.add(act, patience, keeping)
    if (!send(socket, [act])) this.#pending.notStarted(act.id)
    return answer
  }

  async recall(act: Act): Promise<Answer> {
    const socket = currentOf(this.ctx.getWebSockets())
    if (!socket || this.#pending.find(act.id)) return { kind: 'not started' }
    const answer = this.#pending.add(act)
    send(socket, [{ t: 'what', id: act.id }])
    return answer
  }

  async isLinked(): Promise<boolean> {
    return currentOf(this.ctx.getWebSockets()) !== undefined
  }

  async isPending(id: string): Promise<boolean> {
    return this.#pending.find(id) !== undefined
  }

  async hold(assignments: Assignment[]): Promise<void> {
    const socket = currentOf(this.ctx.getWebSockets())
    if (socket) send(socket, holdFrames(assignments))
  }

  async drain(): Promise<void> {
    const socket = currentOf(this.ctx.getWebSockets())
    if (socket) send(socket, yieldFrames(await yieldable(openStore(this.env), attached(socket).host)))
  }

  async dismiss(why: string): Promise<void> {
    for (const socket of this.ctx.getWebSockets()) hangUp(socket, CLOSE_UNWELCOME, why)
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    const frames = typeof message === 'string' ? parseHostFrames(message) : undefined
    if (!frames) {
      const reason = typeof message === 'string' ? whyMalformed(message, HostFrame) : 'these are no frames'
      log(this.env, 'warn', 'frames do not parse', { host: attached(socket).host, reason })
      return hangUp(socket, CLOSE_UNWELCOME, reason)
    }
    // Only frames that renew the lease count, so that a silent link ends before the lease does.
    if (frames.some(({ t }) => t === 'beat' || t === 'hello')) attach(socket, { heardAt: Date.now() })
    const before = this.#queues.get(socket) ?? Promise.resolve()
    const taken = before.then(() => this.#take(socket, frames))
    this.#queues.set(socket, taken)
    await taken
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    log(this.env, 'info', 'link closed', { host: attached(socket).host, code })
    hangUp(socket, 1000, '')
    await this.#setAlarm()
  }

  override async webSocketError(socket: WebSocket): Promise<void> {
    log(this.env, 'info', 'link broke', { host: attached(socket).host })
    hangUp(socket, CLOSE_TROUBLE, '')
    await this.#setAlarm()
  }

  /** Closes a link that is open but silent, so that acts do not wait for it. If the lease has ended, others take over. */
  override async alarm(): Promise<void> {
    for (const socket of this.#current()) {
      if (attached(socket).heardAt + silenceOf(this.env) > Date.now()) continue
      log(this.env, 'warn', 'link silent', { host: attached(socket).host })
      hangUp(socket, CLOSE_SILENT, 'no heartbeat')
    }
    if (await this.#setAlarm()) return
    const host = await this.ctx.storage.get<string>(HOST)
    if (host) await takeOverFrom(this.env, openStore(this.env), host)
  }

  async #transfer(transfer: string, { method, body }: Request): Promise<Response> {
    if (method === 'PUT') {
      const arrived = body !== null && (await this.#transfers.upload(transfer, body))
      return new Response(null, { status: arrived ? 204 : 410 })
    }
    const stream = await this.#transfers.download(transfer)
    return stream ? new Response(stream) : new Response(null, { status: 410 })
  }

  #current(): WebSocket[] {
    return this.ctx.getWebSockets().filter(isCurrent)
  }

  /** Sets the alarm for the time when the link counts as silent or the lease has ended. Returns false if there is neither. */
  async #setAlarm(): Promise<boolean> {
    const heard = this.#current().map((socket) => attached(socket).heardAt)
    if (heard.length > 0) {
      await this.ctx.storage.setAlarm(Math.min(...heard) + silenceOf(this.env))
      return true
    }
    const host = await this.ctx.storage.get<string>(HOST)
    const left = host ? await this.#leaseLeft(host) : 0
    if (left > 0) await this.ctx.storage.setAlarm(Date.now() + left + SURELY_MS)
    return left > 0
  }

  /** While the database does not answer, the lease may still run. */
  async #leaseLeft(host: string): Promise<number> {
    try {
      return await leaseLeft(openStore(this.env), host)
    } catch (error) {
      log(this.env, 'warn', 'lease not read', { host, reason: reasonOf(error) })
      return leaseOf(this.env)
    }
  }

  async #take(socket: WebSocket, frames: HostFrame[]): Promise<void> {
    const context: FrameContext = {
      env: this.env,
      ...{ host: attached(socket).host, tokenHash: attached(socket).tokenHash },
      store: openStore(this.env),
      pending: this.#pending,
      settled: [],
      sockets: () => this.ctx.getWebSockets(),
      later: (work) => this.ctx.waitUntil(work),
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
      log(this.env, 'error', 'link failed', { host: context.host, reason: reasonOf(error) })
      hangUp(socket, CLOSE_TROUBLE, 'try again')
    } finally {
      this.#keepSettled(context, socket)
    }
  }

  /** Stores the answers that no report took with it. No frame waits for this. */
  #keepSettled(context: FrameContext, socket: WebSocket): void {
    const settled = context.settled.splice(0)
    if (settled.length > 0) context.later(keepSettled(context, socket, settled))
  }
}
