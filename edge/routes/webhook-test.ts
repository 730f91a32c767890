// A signed envelope sent now, so that whoever sets up a receiver sees what it answers.

import { Fault } from '../../shared/faults.ts'
import { phoneOf } from '../../shared/jid.ts'
import { signedPost } from '../delivery/attempt.ts'
import { envelope } from '../delivery/envelope.ts'
import { courierOf } from '../delivery/wake.ts'
import type { Handlers } from '../http/serve.ts'
import { overQuota } from '../quotas.ts'
import { subscriptionOf } from '../store/subscriptions.ts'
import { needWebhooks } from './webhook.ts'

export const webhookTestHandlers = {
  /** Sent while delivery is paused too: that is when a receiver is repaired. */
  async testWebhook(c) {
    needWebhooks(c)
    const { store, instance } = c.var
    const subscription = await subscriptionOf(store, instance.id)
    if (!subscription || subscription.mode === 'off')
      throw new Fault('invalid_url', 'There is no webhook to test: register a url first.')
    const wait = await courierOf(c.env, instance.id).countTest()
    if (wait > 0) throw overQuota('webhook_tests', wait)
    const event = { id: crypto.randomUUID(), instanceId: instance.id, seq: 0, type: 'test', payload: {} }
    const at = Date.now()
    const body = envelope({ ...event, owner: phoneOf(instance.jid), at }, instance.name)
    const result = await signedPost(c.env, subscription, event.id, body, c.var.trace)
    return {
      delivered: result.delivered,
      status: result.status,
      ms: Date.now() - at,
      error: result.delivered ? '' : result.error,
    }
  },
} satisfies Partial<Handlers>
