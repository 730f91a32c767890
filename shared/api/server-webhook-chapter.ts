// The chapter on the server's webhook, for every instance without its own choice.

import { deliveredEvents, operatorEvents } from '../contract/event-names.ts'
import { ServerWebhook } from '../contract/responses/webhook-responses.ts'
import { ServerWebhookRequest } from '../contract/webhook-requests.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'
import { webhookFieldFaults } from './webhooks-chapter.ts'

const { url, events } = sample.webhook
/** The answer to `all` names every event but those that have to be named. */
const saved = {
  ...sample.serverWebhook,
  events: [...deliveredEvents, ...operatorEvents],
  excludeMessages: null,
}

export const serverWebhook = defineChapter({
  title: 'Webhook of the server',
  description:
    'Every instance without a webhook setting of its own follows this webhook: URL, secret, events and filters, each change included. If it is paused, those instances are paused and no others. An instance stops following it with its own webhook or by turning delivery off, and follows it again with `inherit`. The event `webhook` tells of the webhooks that instances have of their own.',
  routes: {
    configureServerWebhook: defineRoute({
      method: 'POST',
      path: '/v1/webhook',
      summary: 'Sets the webhook of the server, or removes it',
      description:
        'The body has either `url` and `events` together, or `action` `delete` alone. The change applies to every instance or to none. Another URL starts after the existing events: those that waited for the previous one are dead with `destination_changed` and can be delivered again on demand. A secret that is not sent stays, unless the URL has another scheme, host or port: then it is dropped, and `dropped` names it. This setting overrides the environment of the server, also after `delete`.',
      auth: 'admin',
      audit: 'server.webhook',
      body: {
        schema: ServerWebhookRequest,
        faults: webhookFieldFaults,
        checkedByHandler: true,
        samples: {
          everything: { url, events: 'all', secret: 'whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc=' },
          paused: { url, events, enabled: false },
          ended: { action: 'delete' },
        },
      },
      response: {
        description: 'The webhook as it is now.',
        schema: ServerWebhook,
        samples: { saved, ended: { registered: false, scope: 'server' } },
      },
      faults: [
        ...(['invalid_action', 'invalid_url', 'invalid_event', 'invalid_events', 'invalid_exclude'] as const),
        ...(['invalid_secret', 'unsupported_option', 'webhooks_disabled'] as const),
      ],
    }),
    getServerWebhook: defineRoute({
      method: 'GET',
      path: '/v1/webhook',
      summary: 'Returns the webhook of the server',
      auth: 'admin',
      conditional: true,
      response: describeResponse(ServerWebhook, 'The present webhook.'),
      faults: ['webhooks_disabled'],
    }),
  },
})
