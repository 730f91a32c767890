// Sends a signed test envelope now, and responds with the receiver's response.

import type { WebhookTested } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { extractPhone } from '@msgnet/shared/jid.ts'
import type { Context } from 'hono'
import { postSigned } from '../delivery/attempt-delivery.ts'
import { toDestination } from '../delivery/webhook-secrets.ts'
import type { EventSource } from '../dialect/event-format.ts'
import type { Handlers } from '../http/serve-route.ts'
import { createQuotaFault } from '../limits/quotas.ts'
import type { PostDestination } from '../objects/due-events.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { findFirstWebhook } from '../store/webhook-queries.ts'
import { requireWebhooks } from './webhook-routes.ts'

export const webhookTestHandlers = {
  /** It is sent while delivery is paused too, because receivers are repaired then. */
  async testWebhook(c) {
    requireWebhooks(c)
    const { store, instance } = c.var
    const webhook = await findFirstWebhook(store, instance.id)
    if (!webhook || webhook.mode === 'off')
      throw new Fault('invalid_url', 'There is no webhook to test: register a url first.')
    return sendTest(c, toDestination(webhook))
  },
} satisfies Partial<Handlers>

/** Counts against the limit of tests of the instance, whichever of its webhooks is tested. */
export async function sendTest(c: Context<EdgeEnv>, webhook: PostDestination): Promise<WebhookTested> {
  const { instance } = c.var
  const wait = await c.env.runtime.getCourier(instance.id).countTest()
  if (wait > 0) throw createQuotaFault('webhook_tests', wait)
  const event = { id: crypto.randomUUID(), instanceId: instance.id, seq: 0, type: 'test', payload: {} }
  const at = Date.now()
  const testEvent = { ...event, owner: extractPhone(instance.jid), at }
  const result = await postTest(c, webhook, testEvent)
  return {
    delivered: result.delivered,
    status: result.status,
    ms: Date.now() - at,
    error: result.delivered ? '' : result.error,
  }
}

/** Every form has one part for a test. */
async function postTest(
  { env, var: { instance, store, trace } }: Context<EdgeEnv>,
  webhook: PostDestination,
  event: EventSource,
) {
  const format = env.dialects.findFormat(webhook.format)
  const target = { store, instanceName: instance.name, handle: instance.handle, receiver: webhook }
  const [part] = (await format?.toParts(event, target)) ?? []
  const body = await part?.createBody()
  if (!part || !body || typeof body === 'string')
    return { delivered: false as const, status: 0, error: 'format_not_served' }
  return postSigned(env, { ...webhook, url: part.url }, part.id, body, trace, format?.signing)
}
