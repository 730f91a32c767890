// The two kinds of objects as durable objects: their methods are called by RPC, and what is a stream or a socket comes by `fetch`.

import { DurableObject } from 'cloudflare:workers'
import type { ReplayRequest } from '../../shared/contract/events-request.ts'
import type { Act, Assignment } from '../../shared/wire/frames.ts'
import { Courier as CourierCore } from '../delivery/courier.ts'
import { HostLink as HostLinkCore } from '../hosts/host-link.ts'
import type { Keeping, Listener } from '../objects.ts'
import type { Handed } from '../store/events/due.ts'
import { type Bindings, toEnv } from './runtime.ts'

export class HostLink extends DurableObject<Bindings> {
  readonly #core: HostLinkCore

  constructor(state: DurableObjectState, bindings: Bindings) {
    super(state, bindings)
    this.#core = new HostLinkCore(state, toEnv(bindings))
  }

  /** A transfer by its path, or a WebSocket of the host in `x-host`, whose token has the digest in `x-token-hash`. */
  override async fetch(request: Request): Promise<Response> {
    const [, transfer] = /^\/transfers\/([\w-]+)$/.exec(new URL(request.url).pathname) ?? []
    if (transfer !== undefined) return this.#transfer(transfer, request)
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server)
    const header = (name: string) => request.headers.get(name) ?? ''
    await this.#core.socketOpened(server, header('x-host'), header('x-token-hash'))
    return new Response(null, { status: 101, webSocket: client })
  }

  async #transfer(transfer: string, { method, body }: Request): Promise<Response> {
    if (method === 'PUT') {
      const arrived = body !== null && (await this.#core.upload(transfer, body))
      return new Response(null, { status: arrived ? 204 : 410 })
    }
    const stream = await this.#core.download(transfer)
    return stream ? new Response(stream) : new Response(null, { status: 410 })
  }

  act(act: Act, patience: number, keeping?: Keeping) {
    return this.#core.act(act, patience, keeping)
  }
  recall(act: Act) {
    return this.#core.recall(act)
  }
  isPending(id: string) {
    return this.#core.isPending(id)
  }
  isLinked() {
    return this.#core.isLinked()
  }
  hold(assignments: Assignment[]) {
    return this.#core.hold(assignments)
  }
  watchLease(host: string) {
    return this.#core.watchLease(host)
  }
  drain() {
    return this.#core.drain()
  }
  dismiss(why: string) {
    return this.#core.dismiss(why)
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer) {
    return this.#core.socketMessage(socket, message)
  }
  override webSocketClose(socket: WebSocket, code: number) {
    return this.#core.socketClosed(socket, code)
  }
  override webSocketError(socket: WebSocket) {
    return this.#core.socketBroke(socket)
  }
  override alarm() {
    return this.#core.alarm()
  }
}

export class Courier extends DurableObject<Bindings> {
  readonly #core: CourierCore

  constructor(state: DurableObjectState, bindings: Bindings) {
    super(state, bindings)
    this.#core = new CourierCore(state, toEnv(bindings))
  }

  /** A stream of events: the runtime says by the signal of this request, and not by the stream, that its reader has left. */
  override async fetch(request: Request): Promise<Response> {
    const listener: Listener = await request.json()
    return new Response(await this.#core.stream(listener, request.signal))
  }

  work(instanceId: string) {
    return this.#core.work(instanceId)
  }
  arrived(instanceId: string, handed?: Handed) {
    return this.#core.arrived(instanceId, handed)
  }
  subscriptionChanged(instanceId: string) {
    return this.#core.subscriptionChanged(instanceId)
  }
  countTest() {
    return this.#core.countTest()
  }
  replay(instanceId: string, request: ReplayRequest) {
    return this.#core.replay(instanceId, request)
  }
  tokenChanged() {
    return this.#core.tokenChanged()
  }
  forget() {
    return this.#core.forget()
  }
  override alarm() {
    return this.#core.alarm()
  }
}
