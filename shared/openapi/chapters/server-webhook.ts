// The chapter on the webhook that the server has for every instance without one of its own.

import * as z from 'zod'
import { ServerWebhook } from '../../contract/answers/webhook.ts'
import { ServerWebhookEnd, WebhookSave } from '../../contract/webhook.ts'
import { answers, type Chapter } from '../operation.ts'
import * as sample from '../samples.ts'

const { url, events } = sample.webhook

export const serverWebhook: Chapter = {
  title: 'Webhook of the server',
  says: 'Every instance that made no choice of its own follows it: URL, secret, events and filters, each change included. Paused, it pauses those and no others. An instance leaves with a webhook of its own or by turning delivery off, and comes back with `inherit`.',
  operations: {
    'POST /v1/webhook': {
      id: 'configureServerWebhook',
      summary: 'Say where the events of all go, or end it',
      says: 'Either `url` and `events` together, or `action` `delete` alone. It is all done, for every instance, or nothing is. Another URL starts after the events that exist: those that waited for the former one are dead with `destination_changed` and can be delivered again on demand. It prevails over what the environment of the server brings, also after `delete`.',
      who: 'admin',
      body: {
        schema: z.union([WebhookSave, ServerWebhookEnd]),
        examples: {
          everything: { url, events: 'all', secret: 'whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=' },
          'paused for whoever inherits': { url, events, enabled: false },
          ended: { action: 'delete' },
        },
      },
      answers: [
        {
          status: 200,
          says: 'The webhook as it is now.',
          schema: ServerWebhook,
          examples: { saved: sample.serverWebhook, ended: { registered: false, scope: 'server' } },
        },
      ],
      faults: [
        ...(['invalid_action', 'invalid_url', 'invalid_event', 'invalid_events', 'invalid_exclude'] as const),
        ...(['invalid_secret', 'unsupported_option', 'webhooks_disabled'] as const),
      ],
    },
    'GET /v1/webhook': {
      id: 'getServerWebhook',
      summary: 'The webhook of the server',
      who: 'admin',
      answers: answers(ServerWebhook, 'The webhook as it is.', sample.serverWebhook),
      faults: ['webhooks_disabled'],
    },
  },
}
