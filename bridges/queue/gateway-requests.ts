// Requests to the gateway that are tried until it responds. What it refuses is for the operator.

import { setTimeout as wait } from 'node:timers/promises'
import type { Envelope } from '@msgnet/client/api-types.ts'
import { GatewayError, type InstanceClient } from '@msgnet/client/client.ts'
import { lengthenPause } from '@msgnet/client/repeats.ts'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { describeError } from './patient-publisher.ts'

/** In seconds. */
const PAUSE = { first: 1, longest: 30 }

export async function requestPatiently<Answer>(request: () => Promise<Answer>): Promise<Answer> {
  for (let failed = 0; ; failed += 1) {
    try {
      return await request()
    } catch (error) {
      const { retryAfter } = requireRetryable(error)
      const pause = retryAfter ?? lengthenPause(PAUSE, failed)
      console.error(`waiting for the gateway, next attempt in ${pause} s: ${describeError(error)}`)
      await wait(1000 * pause)
    }
  }
}

export const isDeleted = (error: unknown): boolean =>
  error instanceof GatewayError && error.code === 'instance_not_found'

function requireRetryable(error: unknown): { retryAfter?: number | undefined } {
  if (!(error instanceof GatewayError)) return {}
  if (error.status >= 500 || error.status === 429) return error
  throw isDeleted(error) ? error : new OperatorError(`the gateway refuses: ${error.message}`)
}

/** Opens streams one after another, so that a gateway that is away gets one request at a time, and the limit of openings is kept. */
export class StreamOpener {
  #last: Promise<unknown> = Promise.resolve()

  /** Events after this `seq`. */
  openStream(client: InstanceClient, after: number): Promise<AsyncIterable<Envelope>> {
    const opening = this.#last.then(() => requestPatiently(() => client.stream({ after })))
    this.#last = opening.catch(() => undefined)
    return opening
  }
}
