// Asks an address by HTTP for the doctor, directly or through a proxy.

import { type Agent, request as requestPlain } from 'node:http'
import { request as requestSecure } from 'node:https'
import { SECOND } from '../../shared/clock.ts'

const WITHIN_MS = 10 * SECOND
const MOST_CHARACTERS = 4 * 1024 * 1024

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
    within = WITHIN_MS,
  }: { agent?: Agent | undefined; ca?: string | undefined; within?: number } = {},
): Promise<Fetched> {
  const { promise, resolve, reject } = Promise.withResolvers<Fetched>()
  const terms = {
    signal: AbortSignal.timeout(within),
    ...(agent && { agent }),
    ...(ca !== undefined && { ca }),
  }
  const request = url.startsWith('https:') ? requestSecure : requestPlain
  const asking = request(url, terms, (response) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      text += chunk
      if (text.length > MOST_CHARACTERS) response.destroy(new Error('the answer is too long'))
    })
    response.on('end', () => {
      const date = Date.parse(response.headers.date ?? '')
      resolve({ status: response.statusCode ?? 0, date: Number.isNaN(date) ? undefined : date, text })
    })
    response.on('error', reject)
  })
  asking.on('error', reject)
  asking.end()
  return promise
}

/** Why an address was not reached, in the words of the system. */
export function describeFailure(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  if (thrown.name === 'TimeoutError' || thrown.name === 'AbortError') return 'no answer in time'
  const [first] = thrown instanceof AggregateError ? thrown.errors : []
  return (
    (first instanceof Error ? first.message : thrown.message) ||
    String((thrown as NodeJS.ErrnoException).code)
  )
}
