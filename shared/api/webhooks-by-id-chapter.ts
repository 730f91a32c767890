// The chapter on all webhooks of an instance.

import { limits } from '../contract/limits.ts'
import { FailureList } from '../contract/responses/event-responses.ts'
import {
  WebhookDeleted,
  WebhookList,
  WebhookResponse,
  WebhookTested,
} from '../contract/responses/webhook-responses.ts'
import { NewWebhookRequest, WebhookPatch } from '../contract/webhooks-by-id-requests.ts'
import { defineChapter, defineRoute, describeResponse } from './route-declaration.ts'
import * as sample from './sample-values.ts'

const path = '/v1/webhooks'
const faults = {
  url: 'invalid_url',
  events: 'invalid_events',
  excludeMessages: 'invalid_exclude',
  secret: 'invalid_secret',
} as const
const bodyFaults = [
  ...(['invalid_url', 'invalid_event', 'invalid_events', 'invalid_exclude', 'invalid_secret'] as const),
  'webhooks_disabled',
] as const
const named = { auth: 'instance', tokenScope: 'full', chats: 'all', names: 'webhook' } as const
const changed = { audit: 'webhook.change', rate: 'WEBHOOK_CHANGE_RATE' } as const

export const webhooksById = defineChapter({
  title: 'Several webhooks',
  description:
    'An instance may have up to five webhooks, all of one kind: the first is that of `/webhook`. Each has its own order, retries, pause, health, secret and dead events, and one that hangs delays no other. `webhook-id` is the id of the event at all of them.',
  routes: {
    listWebhooks: defineRoute({
      method: 'GET',
      path,
      summary: 'Lists the webhooks and the health of each',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'all',
      response: describeResponse(WebhookList, 'The first, then the others.'),
      faults: ['webhooks_disabled'],
    }),
    addWebhook: defineRoute({
      method: 'POST',
      path,
      summary: 'Adds a webhook beside the first',
      description: 'It gets the events from now on.',
      auth: 'instance',
      tokenScope: 'full',
      chats: 'all',
      ...changed,
      idempotent: limits.retentionSeconds,
      body: {
        schema: NewWebhookRequest,
        faults,
        samples: {
          'messages of groups': {
            url: sample.webhook.url,
            events: ['messages'],
            chats: ['groups'],
            headers: { authorization: 'Bearer 2f9c' },
          },
          everything: { url: sample.webhook.url, events: 'all' },
        },
      },
      response: describeResponse(WebhookResponse, 'The webhook.'),
      faults: [...bodyFaults, 'too_many_webhooks'],
    }),
    getWebhookById: defineRoute({
      method: 'GET',
      path: `${path}/{id}`,
      summary: 'Returns one webhook and its health',
      ...named,
      response: describeResponse(WebhookResponse, 'The webhook.'),
      faults: ['webhooks_disabled'],
    }),
    changeWebhook: defineRoute({
      method: 'PATCH',
      path: `${path}/{id}`,
      summary: 'Changes a webhook',
      description:
        'What the body leaves out stays. Another URL gets events from now on only: those that waited for the previous one become dead. Headers and secret stay with the scheme, host and port that they were set for: another URL needs them again, and `dropped` names those that it did not get. Other `events`, filters or `chats` are for what waits and for what comes. A webhook that rests after a 410 goes on. One that is inherited from the server becomes the instance’s own, and needs a `url`.',
      ...named,
      ...changed,
      body: {
        schema: WebhookPatch,
        faults,
        emptyTexts: ['secret'],
        samples: { pause: { enabled: false }, 'other events': { events: ['messages', 'connection'] } },
      },
      response: describeResponse(WebhookResponse, 'The webhook as it is now.'),
      faults: bodyFaults,
    }),
    removeWebhook: defineRoute({
      method: 'DELETE',
      path: `${path}/{id}`,
      summary: 'Removes a webhook',
      description: 'Of the first it turns delivery off, as `POST /webhook` does with the action `delete`.',
      ...named,
      ...changed,
      response: describeResponse(WebhookDeleted, 'The webhook is removed.'),
      rawBody: true,
      faults: ['webhooks_disabled'],
    }),
    testWebhookById: defineRoute({
      method: 'POST',
      path: `${path}/{id}/test`,
      summary: 'Sends a signed test envelope to one webhook',
      description: 'As `POST /webhook/test`, whose limit it shares.',
      ...named,
      response: describeResponse(WebhookTested, 'The result of the attempt.'),
      faults: ['webhooks_disabled', 'quota_reached'],
    }),
    listFailuresById: defineRoute({
      method: 'GET',
      path: `${path}/{id}/errors`,
      summary: 'Lists failed deliveries to one webhook, newest first',
      ...named,
      response: describeResponse(FailureList, 'Events whose last attempt at this webhook failed.'),
      faults: ['webhooks_disabled'],
    }),
  },
})
