// Documentation of deliveries: the envelopes that receivers get, and the headers that sign each request.

import * as sample from '@msgnet/shared/api/sample-values.ts'
import { TestEnvelope } from '@msgnet/shared/contract/event-envelopes.ts'
import { changeDeliveries } from './change-deliveries.ts'
import type { Delivery } from './documented-delivery.ts'
import { toJsonSchema } from './json-schemas.ts'
import { messageDeliveries } from './message-deliveries.ts'
import { toExamples } from './operation-object.ts'

export const deliveries: Record<string, Delivery> = {
  ...messageDeliveries,
  ...changeDeliveries,
  test: {
    summary: 'Requested by `POST /webhook/test`',
    envelope: TestEnvelope,
    examples: { test: { EventType: 'test', ...sample.head, seq: 0 } },
  },
}

export const deliveryHeaders = [
  {
    name: 'webhook-id',
    says: 'The id of the event. It is the same on every attempt, so that the receiver can detect duplicates.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
    example: sample.eventId,
  },
  {
    name: 'webhook-timestamp',
    says: 'The time of this attempt, in seconds since the epoch. Refuse a time that is minutes away from now.',
    required: true,
    schema: { type: 'string', pattern: '^\\d+$' },
    example: '1789635720',
  },
  {
    name: 'webhook-signature',
    says: '`v1,` and the base64 HMAC-SHA256 over `id.timestamp.body` (Standard Webhooks 1.0). For a day after a change of the secret there are several, separated by spaces: one valid signature is enough. Absent if there is no secret.',
    required: false,
    schema: { type: 'string' },
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
  {
    name: 'traceparent',
    says: 'A step in the trace of the request that sent, edited or deleted the message (W3C trace context). Absent on events that the network sent by itself.',
    required: false,
    schema: { type: 'string' },
    example: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  },
] as const

/** The `webhooks` section of the document. */
export const buildDeliverySection = () =>
  Object.fromEntries(
    Object.entries(deliveries).map(([name, { summary, envelope, examples }]) => [
      name,
      {
        post: {
          operationId: `on_${name}`,
          tags: ['Deliveries'],
          summary,
          security: [],
          parameters: deliveryHeaders.map(({ says, ...header }) => ({
            in: 'header',
            description: says,
            ...header,
          })),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: toJsonSchema(envelope, 'output'),
                examples: toExamples(examples),
              },
            },
          },
          responses: {
            '2XX': { description: 'The event is accepted and stored: it is not delivered again.' },
            '410': {
              description:
                'The receiver wants no more events: delivery pauses until the webhook is saved again.',
            },
            default: {
              description:
                'The event is not accepted: it is delivered again, after `Retry-After` if that is later.',
            },
          },
        },
      },
    ]),
  )
