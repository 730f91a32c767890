// A webhook receiver inside the demo: it verifies every delivery with the public Standard Webhooks library, or refuses it.

import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Envelope as AnyEnvelope } from '@msgnet/client/client.ts'
import { IDLE_CONNECTION_MS } from '@msgnet/shared/node/idle-connections.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { Webhook } from 'standardwebhooks'

const MAX_WAIT_MS = 20_000

type Envelope<Type = string> = Extract<AnyEnvelope, { EventType: Type }>

export class DemoReceiver {
  readonly secret = `whsec_${randomBytes(32).toString('base64')}`
  readonly #webhook = new Webhook(this.secret)
  readonly #verified: AnyEnvelope[] = []
  readonly #server = createServer({ keepAliveTimeout: IDLE_CONNECTION_MS }, (request, response) =>
    this.#receiveDelivery(request, response),
  )
  #last = { body: '', headers: {} as Record<string, string> }
  #wakeWaiter: () => void = () => undefined

  /** A local receiver must be on the gateway's allowlist, so this takes the first free address of it. */
  static async open(allowlist: string[]): Promise<DemoReceiver> {
    const receiver = new DemoReceiver()
    for (const address of allowlist.filter((entry) => entry.startsWith('127.0.0.1:')))
      if (await receiver.#listenOn(Number(address.split(':')[1]))) return receiver
    throw new OperatorError(
      `No receiver can be opened: WEBHOOK_ALLOWLIST of the gateway has no free 127.0.0.1:port (it is "${allowlist.join(',')}").`,
    )
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/webhook`
  }

  /** Verified deliveries so far. */
  get count(): number {
    return this.#verified.length
  }

  /** Waits for the first verified envelope that matches. */
  async waitForEvent<Type extends AnyEnvelope['EventType']>(
    type: Type,
    isMatch: (envelope: Envelope<Type>) => boolean = () => true,
  ): Promise<Envelope<Type>> {
    const isExpected = (envelope: AnyEnvelope): envelope is Envelope<Type> =>
      envelope.EventType === type && isMatch(envelope as Envelope<Type>)
    const timeout = AbortSignal.timeout(MAX_WAIT_MS)
    for (;;) {
      const found = this.#verified.find(isExpected)
      if (found) return found
      if (timeout.aborted)
        throw new OperatorError(`No webhook of type ${type} arrived within ${MAX_WAIT_MS / 1000} s.`)
      await new Promise<void>((resolve) => {
        this.#wakeWaiter = resolve
        timeout.addEventListener('abort', () => resolve(), { once: true })
      })
    }
  }

  /** Whether the last delivery is refused when one byte of it is changed. */
  rejectsForgery(): boolean {
    return this.#verifyDelivery(this.#last.body.replace('{', '{ '), this.#last.headers) === undefined
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #listenOn(port: number): Promise<boolean> {
    return new Promise((resolve) => {
      this.#server.once('error', () => resolve(false))
      this.#server.listen(port, '127.0.0.1', () => resolve(true))
    })
  }

  async #receiveDelivery(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const envelope = this.#verifyDelivery(body, headers)
    response.writeHead(envelope ? 204 : 401).end()
    if (!envelope) return
    this.#last = { body, headers }
    this.#verified.push(envelope)
    this.#wakeWaiter()
  }

  #verifyDelivery(body: string, headers: Record<string, string>): AnyEnvelope | undefined {
    try {
      return this.#webhook.verify(body, headers) as AnyEnvelope
    } catch {
      return undefined
    }
  }
}
