// A request of the API in a form that samples in every language are made from, on the server and in the browser.

import type { Method } from '@msgnet/shared/api/route-declaration.ts'
import { SAMPLE_ORIGIN } from '../sample-origin.ts'

/** An operation as far as its requests show it; the page has it as JSON. */
export interface RequestShape {
  method: Method
  path: string
  auth: 'admin' | 'instance' | 'host' | 'none'
  /** It takes an Idempotency-Key. */
  keyed: boolean
  /** All query parameters, and the required ones among them. */
  query: string[]
  requiredQuery: string[]
  headers: string[]
  /** Of its body; one that is no JSON is a text. */
  bodyType: string
  responseKind: 'json' | 'text' | 'bytes' | 'stream'
}

export interface SampleRequest {
  method: Method
  /** In pieces: fixed text, and names of environment variables. */
  url: { text?: string; variable?: string }[]
  /** Header and variable of the credential. */
  credential?: { header: string; variable: string }
  keyed: boolean
  /** Undefined for none; a text is sent as it is. */
  body: unknown
  bodyType: string
  responseKind: RequestShape['responseKind']
}

const credentials = {
  admin: { header: 'admintoken', variable: 'ADMIN' },
  instance: { header: 'token', variable: 'TOKEN' },
} as const

const variables: Record<string, string> = { id: 'ID', linkId: 'LINK_ID', tokenId: 'TOKEN_ID' }

/** `body`: one of the operation's samples. */
export function toSampleRequest(shape: RequestShape, body: unknown): SampleRequest {
  const { method, path, auth, keyed, requiredQuery, bodyType, responseKind } = shape
  const [start = '', ...rest] = path.split(/\{(\w+)\}/)
  const url: SampleRequest['url'] = [{ text: SAMPLE_ORIGIN + start }]
  // Names of parameters and texts, by turns.
  for (const [index, part] of rest.entries())
    url.push(index % 2 === 0 ? { variable: variables[part] ?? part } : { text: part })
  for (const [index, name] of requiredQuery.entries())
    url.push({ text: `${index ? '&' : '?'}${name}=` }, { variable: name.toUpperCase() })
  return {
    method,
    url: url.filter(({ text }) => text !== ''),
    ...((auth === 'admin' || auth === 'instance') && { credential: credentials[auth] }),
    keyed,
    // An empty object is the same as no body.
    body: JSON.stringify(body) === '{}' ? undefined : body,
    bodyType,
    responseKind,
  }
}
