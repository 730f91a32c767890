// Asks an address by HTTP, directly or through a proxy.

import { type Agent, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { SECOND } from '@msgnet/shared/date-time.ts'

const WITHIN_MS = 10 * SECOND
const MAX_CHARACTERS = 4 * 1024 * 1024

export interface Fetched {
  status: number
  /** By the server's clock, milliseconds since the epoch; undefined if it says none. */
  date: number | undefined
  text: string
}

/** `ca`: PEM, in place of the public authorities. Throws with the reason if there is no whole answer. */
export function fetchText(
  url: string,
  {
    agent,
    ca,
    maxMs = WITHIN_MS,
  }: { agent?: Agent | undefined; ca?: string | undefined; maxMs?: number } = {},
): Promise<Fetched> {
  const { promise, resolve, reject } = Promise.withResolvers<Fetched>()
  const options = {
    signal: AbortSignal.timeout(maxMs),
    ...(agent && { agent }),
    ...(ca !== undefined && { ca }),
  }
  const request = url.startsWith('https:') ? requestSecure : requestPlain
  const clientRequest = request(url, options, (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      text += chunk
      if (text.length > MAX_CHARACTERS) response.destroy(new Error('the answer is too long'))
    })
    response.on('end', () => {
      const date = Date.parse(response.headers.date ?? '')
      resolve({ status: response.statusCode ?? 0, date: Number.isNaN(date) ? undefined : date, text })
    })
    response.on('error', reject)
  })
  clientRequest.on('error', reject)
  clientRequest.end()
  return promise
}

/** Why an address was not reached, in the words of the system. */
export function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no response in time'
  const [first] = error instanceof AggregateError ? error.errors : []
  return (
    (first instanceof Error ? first.message : error.message) || String((error as NodeJS.ErrnoException).code)
  )
}
