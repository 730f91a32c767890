// The chapter on the webhook of an instance and its health.

import * as z from 'zod'
import { FailureList } from '../contract/responses/event-responses.ts'
import { Webhook, WebhookSaved, WebhookTested } from '../contract/responses/webhook-responses.ts'
import { WebhookEnd, WebhookSave } from '../contract/webhook-requests.ts'
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
    'Every event of an instance is kept, numbered, and posted to its webhook until the receiver confirms it with a 2xx, for up to three days. Delivery is at least once: tell repeats by `webhook-id`. Registering sends nothing of the past; the same URL keeps its place.',
  routes: {
    configureWebhook: defineRoute({
      method: 'POST',
      path: '/webhook',
      summary: 'Say where events go, turn them off, or follow the server',
      description: 'Either `url` and `events` together, or `action` alone.',
      auth: 'instance',
      audit: 'webhook.change',
      rate: 'WEBHOOK_CHANGE_RATE',
      body: {
        schema: z.union([WebhookSave, WebhookEnd]),
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
      summary: 'The webhook and how its destination fares',
      auth: 'instance',
      response: describeResponse(Webhook, 'The webhook as it is.'),
      faults: ['webhooks_disabled'],
    }),
    listDeliveryFailures: defineRoute({
      method: 'GET',
      path: '/webhook/errors',
      summary: 'Deliveries that failed, newest first',
      description: 'At most 50, without what they carried; with what the receiver answered (`lastResponse`).',
      auth: 'instance',
      response: describeResponse(FailureList, 'Events whose last attempt failed.'),
      faults: ['webhooks_disabled'],
    }),
    testWebhook: defineRoute({
      method: 'POST',
      path: '/webhook/test',
      summary: 'Send a signed test envelope now',
      description:
        'Its `EventType` is `test`. One attempt, also while delivery is paused; the answer is what the receiver said, within 15 seconds. 30 a minute.',
      auth: 'instance',
      response: {
        description: 'What came of it.',
        schema: WebhookTested,
        samples: {
          taken: { delivered: true, status: 204, ms: 41, error: '' },
          'not taken': { delivered: false, status: 0, ms: 15_000, error: 'timeout' },
        },
      },
      faults: ['invalid_url', 'webhooks_disabled', 'quota_reached'],
    }),
  },
})
