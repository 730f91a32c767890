// Sends a signed test envelope now, and answers with the receiver's response.

import { Fault } from '../../shared/faults.ts'
import { phoneOf } from '../../shared/jid.ts'
import { signedPost } from '../delivery/attempt.ts'
import { addressFor, envelopeToSend } from '../family/envelopes.ts'
import type { Handlers } from '../http/serve.ts'
import { overQuota } from '../quotas.ts'
import { subscriptionOf } from '../store/subscriptions.ts'
import { needWebhooks } from './webhook.ts'

export const webhookTestHandlers = {
  /** It is sent while delivery is paused too, because receivers are repaired then. */
  async testWebhook(c) {
    needWebhooks(c)
    const { store, instance } = c.var
    const subscription = await subscriptionOf(store, instance.id)
    if (!subscription || subscription.mode === 'off')
      throw new Fault('invalid_url', 'There is no webhook to test: register a url first.')
    const wait = await c.env.runtime.courier(instance.id).countTest()
    if (wait > 0) throw overQuota('webhook_tests', wait)
    const event = { id: crypto.randomUUID(), instanceId: instance.id, seq: 0, type: 'test', payload: {} }
    const at = Date.now()
    const told = { ...event, owner: phoneOf(instance.jid), at }
    const body = await envelopeToSend(c.env, store, told, instance.name)
    const destination = { ...subscription, url: addressFor(c.env, subscription, told) }
    const result = await signedPost(c.env, destination, event.id, body, c.var.trace)
    return {
      delivered: result.delivered,
      status: result.status,
      ms: Date.now() - at,
      error: result.delivered ? '' : result.error,
    }
  },
} satisfies Partial<Handlers>
