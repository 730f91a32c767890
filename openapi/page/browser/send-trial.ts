// Sends the request of a "Try it" form, and reads its response piece by piece.

import type { RequestShape } from '../../samples/sample-request.ts'

export interface Trial {
  shape: RequestShape
  headerNames: string[]
  /** The value of a field of the form; empty if there is none. */
  read(name: string): string
}

interface Piece {
  /** Status, time and request id. */
  head?: string
  headers?: [string, string][]
  text?: string
}

const credentialHeaders = { admin: 'admintoken', instance: 'token', host: '', none: '' }

/** The choice of an admin who acts for an instance. */
export const ACTING = 'admintoken + instance'

export async function* sendTrial(trial: Trial, signal: AbortSignal): AsyncGenerator<Piece> {
  const start = performance.now()
  const response = await sendRequest(trial, signal)
  const took = `${Math.round(performance.now() - start)} ms`
  yield {
    head: [
      `${response.status} ${response.statusText}`.trim(),
      took,
      `request id ${response.headers.get('x-request-id')}`,
    ].join(' · '),
    headers: [...response.headers],
  }
  const [type = ''] = (response.headers.get('content-type') ?? '').split(';')
  if (type.endsWith('json')) yield { text: formatJson(await response.text()) }
  else if (type === 'text/event-stream') yield* readStream(response)
  else if (type.startsWith('text/')) yield { text: await response.text() }
  else yield { text: `${type}, ${(await response.arrayBuffer()).byteLength} bytes` }
}

/** To the page's own origin, whatever address the samples name. A secret is sent as a header only. */
function sendRequest({ shape, headerNames, read }: Trial, signal: AbortSignal): Promise<Response> {
  const { method, path, auth, query, bodyType } = shape
  const isFilled = ([, value]: [string, string]) => value !== ''
  const toPairs = (names: string[], prefix: string) =>
    names.map((name): [string, string] => [name, read(`${prefix}:${name}`)]).filter(isFilled)
  const parameters = new URLSearchParams(toPairs(query, 'query'))
  const headers = new Headers(toPairs(headerNames, 'header'))
  const credential = read('by') === ACTING ? credentialHeaders.admin : credentialHeaders[auth]
  if (credential) headers.set(credential, read('credential').trim())
  const actingFor = read('actingFor').trim()
  if (actingFor) headers.set('instance', actingFor)
  const body = read('body')
  if (body) headers.set('content-type', bodyType)
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(read(name).trim()))
  return fetch(parameters.size ? `${address}?${parameters}` : address, {
    method,
    headers,
    ...(body && { body }),
    credentials: 'omit',
    cache: 'no-store',
    signal,
  })
}

/** As it came, if it is no JSON after all. */
function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

async function* readStream(response: Response): AsyncGenerator<Piece> {
  if (!response.body) return
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield { text: piece.value }
}
