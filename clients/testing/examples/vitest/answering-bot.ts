// A bot that answers every text of a person, each once. Apart from answering-bot.test.ts, because it is the program that is tested there.

import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { connectInstance, verifyWebhook, WebhookRefused } from 'msgnet-gateway-client'

/** `secret`: with which the webhook was saved. */
export function createBot(baseUrl: string, token: string, secret: string) {
  const shop = connectInstance({ baseUrl, token })

  async function answer(body: Buffer, headers: Record<string, string | string[] | undefined>) {
    const event = await verifyWebhook(body, headers, secret)
    if (event.EventType !== 'messages') return
    const { chatid, text, fromMe, isGroup, late } = event.message
    if (fromMe || isGroup || late || !text) return
    // The event's id as the key: an event that comes twice is answered once.
    await shop.sendText({ number: chatid, text: `You said: ${text}` }, { idempotencyKey: event.eventId })
  }

  return createServer(async (request, response) => {
    try {
      await answer(await buffer(request), request.headers)
      response.writeHead(204).end()
    } catch (error) {
      // What could not be answered comes again.
      response.writeHead(error instanceof WebhookRefused ? 401 : 500).end()
    }
  })
}

/** An outcome that is unknown is asked for by the client, with the same key. */
export const notify = (baseUrl: string, token: string, number: string, order: number) =>
  connectInstance({ baseUrl, token }).sendText(
    { number, text: `Order ${order} is on its way` },
    { idempotencyKey: `order-${order}` },
  )
