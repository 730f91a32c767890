// The two kinds of objects as durable objects: their methods are called by RPC, and what is a stream or a socket comes by `fetch`.

import { DurableObject } from 'cloudflare:workers'
import type { ReplayRequest } from '@msgnet/shared/contract/replay-request.ts'
import type { Act, Assignment } from '@msgnet/shared/wire/link-frames.ts'
import { Courier as CourierCore } from '../delivery/courier.ts'
import { HostLink as HostLinkCore } from '../hosts/host-link.ts'
import type { Arrival, PresenceBatch } from '../objects/due-events.ts'
import type { KeyedResponse, StreamListener } from '../objects/objects.ts'
import { type Bindings, toEnv } from './cloudflare-runtime.ts'

export class HostLink extends DurableObject<Bindings> {
  readonly #core: HostLinkCore

  constructor(state: DurableObjectState, bindings: Bindings) {
    super(state, bindings)
    this.#core = new HostLinkCore(state, toEnv(bindings))
  }

  /** A transfer by its path, or a WebSocket of the host in `x-host`, whose token has the digest in `x-token-hash`. */
  override async fetch(request: Request): Promise<Response> {
    const [, transfer] = /^\/transfers\/([\w-]+)$/.exec(new URL(request.url).pathname) ?? []
    if (transfer !== undefined) return this.#serveTransfer(transfer, request)
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server)
    const readHeader = (name: string) => request.headers.get(name) ?? ''
    await this.#core.socketOpened(server, readHeader('x-host'), readHeader('x-token-hash'))
    return new Response(null, { status: 101, webSocket: client })
  }

  async #serveTransfer(transfer: string, { method, body }: Request): Promise<Response> {
    if (method === 'PUT') {
      const isUploaded = body !== null && (await this.#core.uploadTransfer(transfer, body))
      return new Response(null, { status: isUploaded ? 204 : 410 })
    }
    const stream = await this.#core.downloadTransfer(transfer)
    return stream ? new Response(stream) : new Response(null, { status: 410 })
  }

  dispatchAct(act: Act, patience: number, keyedResponse?: KeyedResponse) {
    return this.#core.dispatchAct(act, patience, keyedResponse)
  }
  requestOutcome(act: Act, boot: string, keyedResponse: KeyedResponse) {
    return this.#core.requestOutcome(act, boot, keyedResponse)
  }
  isPending(id: string) {
    return this.#core.isPending(id)
  }
  isLinked() {
    return this.#core.isLinked()
  }
  sendAssignments(assignments: Assignment[]) {
    return this.#core.sendAssignments(assignments)
  }
  watchLease(host: string) {
    return this.#core.watchLease(host)
  }
  drainHost() {
    return this.#core.drainHost()
  }
  closeLink(reason: string) {
    return this.#core.closeLink(reason)
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

  /** A stream of events. If its reader disconnects, the runtime aborts the signal of this request, and does not cancel the stream. */
  override async fetch(request: Request): Promise<Response> {
    const listener: StreamListener = await request.json()
    return new Response(await this.#core.openStream(listener, request.signal))
  }

  deliverDue(instanceId: string) {
    return this.#core.deliverDue(instanceId)
  }
  onEventsStored(arrival: Arrival) {
    return this.#core.onEventsStored(arrival)
  }
  onPresence(batch: PresenceBatch) {
    return this.#core.onPresence(batch)
  }
  onSubscriptionChanged(instanceId: string) {
    return this.#core.onSubscriptionChanged(instanceId)
  }
  countTest() {
    return this.#core.countTest()
  }
  replayEvents(instanceId: string, request: ReplayRequest) {
    return this.#core.replayEvents(instanceId, request)
  }
  onTokenChanged() {
    return this.#core.onTokenChanged()
  }
  onInstanceDeleted() {
    return this.#core.onInstanceDeleted()
  }
  override alarm() {
    return this.#core.alarm()
  }
}
