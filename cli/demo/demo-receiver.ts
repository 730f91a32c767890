// A webhook receiver inside the demo: it verifies every delivery with the public Standard Webhooks library, or refuses it.

import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import type { Envelope as AnyEnvelope } from '../../client/client.ts'
import { OperatorError } from '../settings/gateway-settings.ts'

const MAX_WAIT_MS = 20_000

type Envelope<Type = string> = Extract<AnyEnvelope, { EventType: Type }>

export interface Receiver {
  url: string
  secret: string
  /** Verified deliveries so far. */
  readonly count: number
  /** Waits for the first verified envelope that fits. */
  waitForEvent<Type extends AnyEnvelope['EventType']>(
    type: Type,
    isMatch?: (envelope: Envelope<Type>) => boolean,
  ): Promise<Envelope<Type>>
  /** Whether the last delivery with one byte changed fails the check. */
  rejectsForgery(): boolean
  close(): Promise<void>
}

export async function openReceiver(addresses: string[]): Promise<Receiver> {
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const webhook = new Webhook(secret)
  const verified: AnyEnvelope[] = []
  let last = { body: '', headers: {} as Record<string, string> }
  let wakeWaiter: () => void = () => undefined

  const server = createServer(async (request, response) => {
    const body = await text(request)
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    const envelope = verifyDelivery(webhook, body, headers)
    response.writeHead(envelope ? 204 : 401).end()
    if (!envelope) return
    last = { body, headers }
    verified.push(envelope)
    wakeWaiter()
  })
  const port = await listenOnAllowed(server, addresses)

  return {
    url: `http://127.0.0.1:${port}/webhook`,
    secret,
    get count() {
      return verified.length
    },
    async waitForEvent<Type extends AnyEnvelope['EventType']>(
      type: Type,
      isMatch: (envelope: Envelope<Type>) => boolean = () => true,
    ) {
      const isExpected = (envelope: AnyEnvelope): envelope is Envelope<Type> =>
        envelope.EventType === type && isMatch(envelope as Envelope<Type>)
      const timeout = AbortSignal.timeout(MAX_WAIT_MS)
      for (;;) {
        const found = verified.find(isExpected)
        if (found) return found
        if (timeout.aborted)
          throw new OperatorError(`No fitting webhook came within ${MAX_WAIT_MS / 1000} s.`)
        await new Promise<void>((resolve) => {
          wakeWaiter = resolve
          timeout.addEventListener('abort', () => resolve(), { once: true })
        })
      }
    },
    rejectsForgery: () => verifyDelivery(webhook, last.body.replace('{', '{ '), last.headers) === undefined,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function verifyDelivery(
  webhook: Webhook,
  body: string,
  headers: Record<string, string>,
): AnyEnvelope | undefined {
  try {
    return webhook.verify(body, headers) as AnyEnvelope
  } catch {
    return undefined
  }
}

/** A local receiver must be on the gateway's allowlist, so this takes the first free address of it. */
async function listenOnAllowed(server: Server, addresses: string[]): Promise<number> {
  for (const place of addresses.filter((each) => each.startsWith('127.0.0.1:'))) {
    const listening = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen(Number(place.split(':')[1]), '127.0.0.1', () => resolve(true))
    })
    if (listening) return (server.address() as AddressInfo).port
  }
  throw new OperatorError(
    `No receiver can be opened: WEBHOOK_ALLOWLIST of the gateway holds no free 127.0.0.1:port (it is "${addresses.join(',')}").`,
  )
}
