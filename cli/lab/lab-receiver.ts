// The receiver of a laboratory: it records each delivery, judges its signature, its order and whether it came before, and passes it on to
// the program under test, if one was named.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { IDLE_CONNECTION_MS } from '@msgnet/shared/node/idle-connections.ts'
import { readBody } from '@msgnet/shared/node/read-request-body.ts'
import { openSecret, signDelivery } from '../http/delivery-signature.ts'
import type { Json } from './lab-gateway.ts'

const MAX_BODY_BYTES = 16 * 1024 * 1024
const FORWARD_TIMEOUT = 15 * SECOND
/** The gateway waits for 15 seconds. */
const DAWDLE_MS = 20 * SECOND

/** That of the gateway. */
interface LabClock {
  now(): number
  isNow(at: number): boolean
}

export interface Received {
  /** By the clock of the gateway, in milliseconds since the epoch. */
  at: number
  id: string
  envelope: Json
  signature: 'right' | 'wrong'
  /** It came before. */
  isRepeated: boolean
  /** Events of its instance with a greater `seq` came before it. */
  isLate: boolean
  /** Of the program under test; undefined if it was not passed on, 0 if there was none. */
  program: number | undefined
  /** What the gateway was answered; 0 for nothing before its patience ended. */
  answered: number
}

/** How it answers from now on. */
export interface Manner {
  /** The program under test: each delivery is passed on to it, and the gateway gets its answer. Null for none. */
  forwardTo?: string | null | undefined
  /** With which it answers without passing on; 0 for a program that is there. */
  away?: number | undefined
  /** So many deliveries of messages are passed on, and all the same the gateway hears a 500. */
  forget?: number | undefined
  /** So many deliveries of messages are passed on, and the gateway has no answer before its patience ends. */
  dawdle?: number | undefined
}

const ALL = 'all'

export class LabReceiver {
  readonly secret: string
  readonly #clock: LabClock
  readonly #received: Received[] = []
  /** By the id of an instance. */
  readonly #manners = new Map<string, Manner>()
  readonly #hidden = new Set<string>()
  readonly #server = createServer({ keepAliveTimeout: IDLE_CONNECTION_MS }, (request, response) => {
    this.#receive(request, response).catch(() => response.destroy())
  })

  static async open(secret: string, clock: LabClock): Promise<LabReceiver> {
    const receiver = new LabReceiver(secret, clock)
    await once(receiver.#server.listen(0, '127.0.0.1'), 'listening')
    return receiver
  }

  private constructor(secret: string, clock: LabClock) {
    this.secret = secret
    this.#clock = clock
  }

  get place(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get url(): string {
    return `http://${this.place}/hook`
  }

  get received(): readonly Received[] {
    return this.#received
  }

  /** Towards all instances, unless one is named. What is undefined stays. */
  change(manner: Manner, instanceId = ALL): void {
    const changed = Object.entries(manner).filter(([, value]) => value !== undefined)
    this.#manners.set(instanceId, { ...this.#manners.get(instanceId), ...Object.fromEntries(changed) })
  }

  /** Of this instance nothing is listed, also what still comes. */
  hide(instanceId: string): void {
    this.#hidden.add(instanceId)
  }

  /** Of all instances, unless one is named. */
  listReceived(instanceId?: string): Received[] {
    return this.#received.filter(
      ({ envelope }) =>
        !this.#hidden.has(envelope.instanceId) && (!instanceId || envelope.instanceId === instanceId),
    )
  }

  summarize(instanceId?: string) {
    const received = this.listReceived(instanceId)
    const count = (is: (each: Received) => boolean) => received.filter(is).length
    return {
      deliveries: received.length,
      events: new Set(received.map(({ id }) => id)).size,
      repeated: count(({ isRepeated }) => isRepeated),
      late: count(({ isLate, isRepeated }) => isLate && !isRepeated),
      wrongSignatures: count(({ signature }) => signature === 'wrong'),
      refusedByProgram: count(({ program }) => program !== undefined && (program < 200 || program > 299)),
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await readBody(request, MAX_BODY_BYTES)).toString()
    const envelope: Json = JSON.parse(body)
    const id = String(request.headers['webhook-id'] ?? '')
    const before = this.listReceived(envelope.instanceId)
    const own = this.#manners.get(envelope.instanceId)
    const common = this.#manners.get(ALL)
    const away = own?.away || common?.away || 0
    const isMessage = envelope.EventType === 'messages'
    const spend = (kind: 'forget' | 'dawdle'): boolean => {
      const manner = [own, common].find((each) => each?.[kind])
      if (away || !isMessage || !manner) return false
      manner[kind] = (manner[kind] ?? 0) - 1
      return true
    }
    const [isForgotten, isSlow] = [spend('forget'), spend('dawdle')]
    const forwardTo = own?.forwardTo ?? common?.forwardTo
    const program = forwardTo && !away ? await this.#forward(forwardTo, id, body) : undefined
    const answered = away || (isForgotten ? 500 : (program ?? 204) || 502)
    this.#received.push({
      at: this.#clock.now(),
      id,
      envelope,
      signature: this.#isRight(request, id, body) ? 'right' : 'wrong',
      isRepeated: before.some((each) => each.id === id),
      isLate: before.some((each) => each.envelope.seq > envelope.seq),
      program,
      answered: isSlow ? 0 : answered,
    })
    if (isSlow) await wait(DAWDLE_MS, undefined, { ref: false })
    response.writeHead(answered).end()
  }

  /** Signed anew with the time of the machine, because that of the program was not moved. */
  async #forward(url: string, id: string, body: string): Promise<number> {
    const headers = { ...signDelivery(this.secret, id, new Date(), body), 'content-type': 'application/json' }
    try {
      const signal = AbortSignal.timeout(FORWARD_TIMEOUT)
      const response = await fetch(url, { method: 'POST', headers, body, signal })
      await response.arrayBuffer()
      return response.status
    } catch {
      return 0
    }
  }

  #isRight({ headers }: IncomingMessage, id: string, body: string): boolean {
    const at = new Date(Number(headers['webhook-timestamp']) * SECOND)
    if (!this.#clock.isNow(at.getTime())) return false
    const own = openSecret(this.secret).sign(id, at, body)
    return String(headers['webhook-signature']).split(' ').includes(own)
  }
}
