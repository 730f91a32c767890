// The base of a bridge between the gateway and another service that has callbacks: a server, and verified webhooks.

import { createServer, type IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { connectInstance, verifyWebhook, WebhookRefused } from '@msgnet/client/client.ts'
import { IDLE_CONNECTION_MS } from '@msgnet/shared/node/idle-connections.ts'
import { BodyTooLargeError, readBody } from '@msgnet/shared/node/read-request-body.ts'
import { storedValues } from './bridge-store.ts'
import { readVariable } from './bridge-variables.ts'

const { GATEWAY = 'http://127.0.0.1:8787', PORT = '8790', BRIDGE_URL } = process.env
const MAX_BODY_BYTES = 2 * 1024 * 1024
const RETRY_MS = 10_000

/** What fails is tried again by its job. */
export const gateway = connectInstance({ baseUrl: GATEWAY, token: readVariable('TOKEN'), repeats: false })
const secret = readVariable('SECRET')

export type Envelope = Awaited<ReturnType<typeof verifyWebhook>>

/** The other service did not do it. */
export class ServiceRefused extends Error {
  override readonly name = 'ServiceRefused'
  readonly status: number

  constructor(path: string, status: number) {
    super(`${path} answered ${status}`)
    this.status = status
  }
}

/** Posts to the other service. A refusal throws, so that the gateway delivers again. */
export async function postJson<Body>(url: string, body: object): Promise<Body> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(10_000),
  })
  if (!response.ok) throw new ServiceRefused(new URL(url).pathname, response.status)
  return (await response.json()) as Body
}

/** Beside the webhooks that the instance has. The one that leads to this address is brought up to date, whichever it is. */
async function saveWebhook(url: string, events: string[]): Promise<void> {
  const { webhooks } = await gateway.listWebhooks()
  const own = webhooks.find((webhook) => webhook.url === url)
  if (own) await gateway.changeWebhook(own.id, { url, events, secret })
  else await gateway.addWebhook({ url, events, secret })
}

/** Tries until it is saved: the gateway may start after the bridge. */
async function ensureWebhook(url: string, events: string[]): Promise<void> {
  for (;;) {
    try {
      return await saveWebhook(url, events)
    } catch (error) {
      console.error(`failed to save the webhook ${url}:`, error)
      await wait(RETRY_MS)
    }
  }
}

/**
 * `/gateway` receives the gateway's webhooks with these events, `/service` those of the other service. Both get their response when the work is done;
 * after an exception it is 500. An event that was handled is not handled again.
 */
export function startBridge(
  events: string[],
  onEvent: (envelope: Envelope) => Promise<void>,
  onCallback: (body: string, request: IncomingMessage) => Promise<void>,
) {
  const paths: Record<string, (body: string, request: IncomingMessage) => Promise<void>> = {
    async '/gateway'(body, { headers }) {
      const envelope = await verifyWebhook(body, headers, secret)
      const name = `event ${envelope.eventId}`
      if (storedValues.get(name)) return
      await onEvent(envelope)
      storedValues.set(name, 'done')
    },
    '/service': onCallback,
  }
  // Two messages of one chat must not both create its conversation.
  let last = Promise.resolve()
  const enqueueWork = (work: () => Promise<void>) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
  const server = createServer({ keepAliveTimeout: IDLE_CONNECTION_MS }, async (request, response) => {
    const handle = paths[request.url?.split('?', 1)[0] ?? '']
    if (!handle || request.method !== 'POST') return response.writeHead(404).end()
    try {
      const body = (await readBody(request, MAX_BODY_BYTES)).toString()
      await enqueueWork(() => handle(body, request))
      response.writeHead(204).end()
    } catch (error) {
      const refused =
        error instanceof WebhookRefused ? 401 : error instanceof BodyTooLargeError ? 413 : undefined
      if (refused === undefined) console.error(error)
      response.writeHead(refused ?? 500).end()
    }
  })
  server.listen(Number(PORT), '127.0.0.1')
  if (!BRIDGE_URL) return
  const { href: url } = new URL(`${BRIDGE_URL.replace(/\/+$/, '')}/gateway`)
  void ensureWebhook(url, events)
}
