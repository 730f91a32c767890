// The chapter on the webhook of an instance and its health.

import { FailureList } from '../contract/responses/event-responses.ts'
import { Webhook, WebhookSaved, WebhookTested } from '../contract/responses/webhook-responses.ts'
import { WebhookRequest } from '../contract/webhook-requests.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'

/** Faults of the fields of every webhook. */
export const webhookFieldFaults = {
  action: 'invalid_action',
  url: 'invalid_url',
  events: 'invalid_events',
  excludeMessages: 'invalid_exclude',
  secret: 'invalid_secret',
} as const

const { url, events, excludeMessages } = sample.webhook

export const webhooks = defineChapter({
  title: 'Webhooks',
  description:
    'The gateway stores and numbers every event of an instance, and posts it to the webhook until the receiver confirms it with a 2xx, for up to three days. Delivery is at least once: detect duplicates by `webhook-id`. A newly registered webhook gets no past events; the same URL retains its position.',
  routes: {
    configureWebhook: defineRoute({
      method: 'POST',
      path: '/webhook',
      summary: 'Sets the webhook, turns delivery off, or follows the server',
      description:
        'The body has either `url` and `events` together, or `action` alone. Headers and secret that are not sent stay, unless the URL has another scheme, host or port: then they are dropped, and `dropped` names them.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'all',
      audit: 'webhook.change',
      rate: 'WEBHOOK_CHANGE_RATE',
      body: {
        schema: WebhookRequest,
        faults: webhookFieldFaults,
        checkedByHandler: true,
        samples: {
          'signed messages': {
            url,
            events,
            excludeMessages,
            secret: 'whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=',
          },
          everything: { url, events: 'all' },
          'delivery off': { action: 'delete' },
          'follow the server': { action: 'inherit' },
        },
      },
      response: {
        description: 'The webhook as it is now.',
        schema: WebhookSaved,
        samples: { saved: sample.webhook, 'turned off': { success: true, deleted: true } },
      },
      faults: [
        ...(['invalid_action', 'invalid_url', 'invalid_event', 'invalid_events', 'invalid_exclude'] as const),
        ...(['invalid_secret', 'unsupported_option', 'webhooks_disabled'] as const),
        ...(['invalid_id', 'webhook_not_found'] as const),
      ],
    }),
    getWebhook: defineRoute({
      method: 'GET',
      path: '/webhook',
      summary: 'Returns the webhook and the health of its destination',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'all',
      conditional: true,
      response: describeResponse(Webhook, 'The present webhook.'),
      faults: ['webhooks_disabled'],
    }),
    listDeliveryFailures: defineRoute({
      method: 'GET',
      path: '/webhook/errors',
      summary: 'Lists failed deliveries, newest first',
      description:
        'The list has at most 50 deliveries, without their bodies, and with the response of the receiver (`lastResponse`).',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'all',
      response: describeResponse(FailureList, 'Events whose last attempt failed.'),
      faults: ['webhooks_disabled'],
    }),
    testWebhook: defineRoute({
      method: 'POST',
      path: '/webhook/test',
      summary: 'Sends a signed test envelope now',
      description:
        'Its `EventType` is `test`. The gateway makes one attempt, also while delivery is paused. The response reports how the receiver responded, within 15 seconds. The limit is 30 a minute.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'all',
      response: {
        description: 'The result of the attempt.',
        schema: WebhookTested,
        samples: {
          delivered: { delivered: true, status: 204, ms: 41, error: '' },
          'not delivered': { delivered: false, status: 0, ms: 15_000, error: 'timeout' },
        },
      },
      faults: ['invalid_url', 'webhooks_disabled', 'quota_reached'],
    }),
  },
})
