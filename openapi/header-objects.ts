// Headers and credentials that many operations share.

import * as sample from '@msgnet/shared/api/sample-values.ts'
import { limits, MAX_PREFER_WAIT_SECONDS } from '@msgnet/shared/contract/limits.ts'

const buildVisibleAsciiSchema = (maxLength: number) => ({
  type: 'string',
  pattern: `^[\\x21-\\x7e]{1,${maxLength}}$`,
})

export const headers = {
  'X-Request-Id': {
    description:
      'The id from the request, or a generated one. It names the request in the log of the gateway.',
    required: true,
    schema: buildVisibleAsciiSchema(limits.maxRequestIdLength),
    example: '1f0e8c5a-6d0f-4a52-9a4e-2b4f3c7d1e90',
  },
  'Idempotency-Replayed': {
    description: '`true` if the response is a stored one from before. Absent otherwise.',
    schema: { const: 'true' },
  },
  ETag: {
    description: 'Names this state of the response, for `If-None-Match`.',
    schema: { type: 'string', pattern: '^W/"[0-9a-f]+"$' },
    example: 'W/"5c1b60e2a7f2d7c0c7c1a6f0e5f7a1b2"',
  },
  'Retry-After': {
    description: 'Seconds after which the request may be repeated.',
    schema: { type: 'integer' },
    example: 5,
  },
  'Preference-Applied': {
    description: 'The wait that `Prefer` requested, if it was applied.',
    schema: { type: 'string', pattern: '^wait=\\d+$' },
    example: 'wait=5',
  },
  Allow: {
    description: 'The methods that the path accepts, separated by commas.',
    required: true,
    schema: { type: 'string' },
    example: 'GET, POST',
  },
}

const buildIdParameter = (what: string, example: string, name = 'id') => ({
  in: 'path',
  name,
  required: true,
  description: `The id of the ${what}.`,
  schema: { type: 'string', format: 'uuid', minLength: 1 },
  example,
})

export const parameters = {
  RequestId: {
    in: 'header',
    name: 'X-Request-Id',
    description: 'An id that you choose for this request. An invalid one is replaced by a UUID.',
    schema: buildVisibleAsciiSchema(limits.maxRequestIdLength),
  },
  IdempotencyKey: {
    in: 'header',
    name: 'Idempotency-Key',
    description: 'Each key has one effect: the same key, path and bytes get the same response as before.',
    schema: buildVisibleAsciiSchema(limits.maxIdempotencyKeyLength),
    example: 'order-7',
  },
  Prefer: {
    in: 'header',
    name: 'Prefer',
    description: `\`wait=N\` (RFC 7240): wait no longer than N seconds, 1 to ${MAX_PREFER_WAIT_SECONDS}, for the network. Then the response is 504 \`outcome_unknown\`, or 502 where it only asks; the request continues, and its key returns the outcome later. Any other preference is ignored.`,
    schema: { type: 'string' },
    example: 'wait=5',
  },
  IfNoneMatch: {
    in: 'header',
    name: 'If-None-Match',
    description:
      'The `ETag` of an earlier response: while nothing has changed, the response is 304 without a body. Browsers send it by themselves.',
    schema: { type: 'string' },
  },
  InstanceId: buildIdParameter('instance', sample.fresh.id),
  HostId: buildIdParameter('host', sample.host.id),
  EventId: buildIdParameter('event', sample.eventId),
  MessageId: {
    in: 'path',
    name: 'id',
    required: true,
    description: 'The messageid, with or without its `owner:` prefix.',
    schema: { type: 'string', minLength: 1 },
    example: sample.sent.messageid,
  },
  LinkId: buildIdParameter('link', '8d1f3a52-0c0e-4a57-9c39-5a0f8a1c2b7d', 'linkId'),
  ScopedTokenId: buildIdParameter('scoped token', '5d0f6a1e-7c1b-4a57-9c39-5a0f8a1c2b7e', 'tokenId'),
  WebhookId: buildIdParameter('webhook', sample.webhook.id),
  TokenId: buildIdParameter('admin token', sample.tokenRecord.id),
}

export const securitySchemes = {
  admin: {
    type: 'apiKey',
    in: 'header',
    name: 'admintoken',
    description:
      'The token of the operator, or one created by `POST /v1/tokens` with a sufficient scope: `mga_` and 43 characters. Each operation names the scope that it requires.',
  },
  instance: {
    type: 'apiKey',
    in: 'header',
    name: 'token',
    description: 'The token of one instance, shown only once when it is created: `mgi_` and 43 characters.',
  },
  actingFor: {
    type: 'apiKey',
    in: 'header',
    name: 'instance',
    description:
      'The id of the instance that an admin token of scope `operate` acts for. It stands beside `admintoken`, in place of `token`.',
  },
  host: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of a session host: `mgh_` and 43 characters.',
  },
}
