// Headers and credentials that many operations share.

import * as sample from '../shared/api/sample-values.ts'
import { limits, MAX_PREFER_WAIT_SECONDS } from '../shared/contract/limits.ts'

const buildVisibleAsciiSchema = (maxLength: number) => ({
  type: 'string',
  pattern: `^[\\x21-\\x7e]{1,${maxLength}}$`,
})

export const headers = {
  'X-Request-Id': {
    description: 'The id that was given, or one that was made: it names the request in our log.',
    required: true,
    schema: buildVisibleAsciiSchema(limits.maxRequestIdLength),
    example: '1f0e8c5a-6d0f-4a52-9a4e-2b4f3c7d1e90',
  },
  'Idempotency-Replayed': {
    description: '`true` when the answer is one that was given before. Absent else.',
    schema: { const: 'true' },
  },
  'Retry-After': {
    description: 'Seconds after which it may be asked again.',
    schema: { type: 'integer' },
    example: 5,
  },
  'Preference-Applied': {
    description: 'The wait that was asked for by `Prefer`, when it was heard.',
    schema: { type: 'string', pattern: '^wait=\\d+$' },
    example: 'wait=5',
  },
  Allow: {
    description: 'The methods that the path takes, separated by commas.',
    required: true,
    schema: { type: 'string' },
    example: 'GET, POST',
  },
}

const buildIdParameter = (what: string, example: string) => ({
  in: 'path',
  name: 'id',
  required: true,
  description: `The id of the ${what}.`,
  schema: { type: 'string', format: 'uuid', minLength: 1 },
  example,
})

export const parameters = {
  RequestId: {
    in: 'header',
    name: 'X-Request-Id',
    description: 'A name of yours for this request. What does not fit is replaced by a UUID.',
    schema: buildVisibleAsciiSchema(limits.maxRequestIdLength),
  },
  IdempotencyKey: {
    in: 'header',
    name: 'Idempotency-Key',
    description: 'One effect a key: the same key, path and bytes are answered with what was answered before.',
    schema: buildVisibleAsciiSchema(limits.maxIdempotencyKeyLength),
    example: 'order-7',
  },
  Prefer: {
    in: 'header',
    name: 'Prefer',
    description: `\`wait=N\` (RFC 7240): wait no longer than N seconds, 1 to ${MAX_PREFER_WAIT_SECONDS}, for the network. Then the answer is 504 \`outcome_unknown\`; what was asked goes on, and its key tells later what became of it. Any other preference is ignored.`,
    schema: { type: 'string' },
    example: 'wait=5',
  },
  InstanceId: buildIdParameter('instance', sample.fresh.id),
  HostId: buildIdParameter('host', sample.host.id),
  TokenId: buildIdParameter('admin token', sample.tokenRecord.id),
}

export const securitySchemes = {
  admin: {
    type: 'apiKey',
    in: 'header',
    name: 'admintoken',
    description:
      'The token of the operator, or one made by `POST /v1/tokens` whose scope suffices: `mga_` and 43 characters. Each operation tells the scope that it wants.',
  },
  instance: {
    type: 'apiKey',
    in: 'header',
    name: 'token',
    description: 'The token of one instance, told once when it was made: `mgi_` and 43 characters.',
  },
  host: {
    type: 'http',
    scheme: 'bearer',
    description: 'The token of a session host: `mgh_` and 43 characters.',
  },
}
