// A webhook receiver of the tests: it stores deliveries, verifies signatures with the public library, and responds as a test says.

import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { expectDocumentedEnvelope } from './contract/documented.ts'
import { listenAt, listenAtReserved } from './reserved-ports.ts'
import { until } from './until.ts'

export interface Envelope {
  EventType: string
  eventId: string
  seq: number
  instanceId: string
  [field: string]: unknown
}

export interface Delivery {
  headers: Record<string, string>
  body: string
  envelope: Envelope
  /** When it had been read, in milliseconds since the epoch. */
  at: number
}

export interface Receiver {
  /** `host:port`, for WEBHOOK_ALLOWLIST. */
  readonly place: string
  readonly url: string
  readonly deliveries: Delivery[]
  /** The status of the answers from now on. */
  status: number
  /** The body of the answers from now on. */
  words: string | Uint8Array
  /** The headers of the answers from now on. */
  answerHeaders: Record<string, string>
  /** Each answer waits for this. */
  released: Promise<unknown> | undefined
  /** Each answer takes this long. */
  delayMs: number
  /** Called in place of the next answer, once the delivery has been read. */
  runAtNext(work: () => void): void
  /** The next answer waits for this, once the delivery has been read. */
  holdNext(until: Promise<unknown>): void
  /** The first delivery that fits, waited for. Fails once one came that the document does not describe. */
  waitForDelivery(matches: (envelope: Envelope) => boolean, within?: number): Promise<Delivery>
  close(): Promise<void>
}

/** Throws as the library does when the signature is missing, wrong or too old. */
export function verifyDelivery(delivery: Delivery, secret: string): unknown {
  return new Webhook(secret).verify(delivery.body, delivery.headers)
}

export async function startReceiver(port = 0): Promise<Receiver> {
  const deliveries: Delivery[] = []
  let undocumented: unknown
  let trap: (() => void) | undefined
  let held: Promise<unknown> | undefined
  const server = createServer(async (request, response) => {
    // A process that is killed in the middle of it has delivered nothing.
    const body = await text(request).catch(() => undefined)
    if (body === undefined) return
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const envelope: Envelope = JSON.parse(body)
    deliveries.push({ headers, body, envelope, at: Date.now() })
    try {
      expectDocumentedEnvelope(envelope)
    } catch (error) {
      undocumented ??= error
    }
    const hold = held
    held = undefined
    await hold
    await receiver.released
    if (receiver.delayMs > 0) await wait(receiver.delayMs)
    if (!trap) return response.writeHead(receiver.status, receiver.answerHeaders).end(receiver.words)
    trap()
    trap = undefined
    response.destroy()
  })
  const place = await (port ? listenAt(server, port) : listenAtReserved(server))
  const receiver: Receiver = {
    place,
    url: `http://${place}/hook`,
    deliveries,
    status: 204,
    words: '',
    answerHeaders: {},
    released: undefined,
    delayMs: 0,
    runAtNext(work) {
      trap = work
    },
    holdNext(until) {
      held = until
    },
    waitForDelivery: (matches, within) =>
      until(
        () => {
          if (undocumented) throw undocumented
          return deliveries.find(({ envelope }) => matches(envelope))
        },
        { ...(within && { within }) },
      ),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}
