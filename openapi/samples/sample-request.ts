// A request of the API in a form that samples in every language are made from.

import type { Method } from '../../shared/api/route-declaration.ts'
import type { Entry } from '../document.ts'
import { toJsonSchema } from '../json-schemas.ts'
import { SAMPLE_ORIGIN } from '../sample-origin.ts'

export interface SampleRequest {
  method: Method
  /** In pieces: fixed text, and names of environment variables. */
  url: { text?: string; variable?: string }[]
  /** Header and variable of the credential. */
  credential?: { header: string; variable: string }
  keyed: boolean
  /** Undefined for none. */
  body: unknown
  responseKind: 'json' | 'text' | 'bytes' | 'stream'
}

const credentials = {
  admin: { header: 'admintoken', variable: 'ADMIN' },
  instance: { header: 'token', variable: 'TOKEN' },
} as const

/** `body`: one of the operation's samples. */
export function toSampleRequest({ method, path, operation }: Entry, body: unknown): SampleRequest {
  const { auth, idempotent, query, response } = operation
  const [before = '', after] = path.split('{id}')
  const url: SampleRequest['url'] = [{ text: SAMPLE_ORIGIN + before }]
  if (after !== undefined) url.push({ variable: 'ID' }, { text: after })
  const needed = query ? (toJsonSchema(query, 'input').required ?? []) : []
  for (const [index, name] of needed.entries())
    url.push({ text: `${index ? '&' : '?'}${name}=` }, { variable: name.toUpperCase() })
  return {
    method,
    url: url.filter(({ text }) => text !== ''),
    ...((auth === 'admin' || auth === 'instance') && { credential: credentials[auth] }),
    keyed: idempotent !== undefined,
    // An empty object is the same as no body.
    body: JSON.stringify(body) === '{}' ? undefined : body,
    responseKind: toResponseKind(response.type),
  }
}

function toResponseKind(type = 'application/json'): SampleRequest['responseKind'] {
  if (type === 'application/json') return 'json'
  if (type === 'text/event-stream') return 'stream'
  return type.startsWith('text/') ? 'text' : 'bytes'
}
