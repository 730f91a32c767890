// The errors of a call: the gateway refused, did not know the outcome, or was not reached.

import type { ErrorCode, ErrorObject } from './api-types.ts'

/** An answer of the gateway that is not a success. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly status: number
  readonly code: ErrorCode
  /** The same, under the name that the API uses. */
  readonly error: ErrorCode
  /** Names the request in the gateway's log. */
  readonly requestId: string
  /** The id of the message, if it is unknown whether it was sent. */
  readonly messageid: string | undefined
  /** The network's own number. */
  readonly providerCode: number | undefined
  /** Seconds after which the request can be repeated. */
  readonly retryAfter: number | undefined
  /** The key of the request. To repeat it with this key is safe. */
  readonly idempotencyKey: string | undefined
  readonly body: ErrorObject

  constructor(response: Response, body: ErrorObject, idempotencyKey: string | undefined) {
    super(`${response.status} ${body.error}${body.message ? `: ${body.message}` : ''}`)
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
    this.status = response.status
    this.code = body.error
    this.error = body.error
    this.requestId = response.headers.get('x-request-id') ?? ''
    this.messageid = body.messageid
    this.providerCode = body.provider_code
    this.retryAfter = Number.isFinite(retryAfter) ? retryAfter : undefined
    this.idempotencyKey = idempotencyKey
    this.body = body
  }

  /**
   * The request was sent and got no response, so it may have had its effect. Do not send it with a new key; the same key
   * returns the outcome as soon as that is known.
   */
  get outcomeUnknown(): boolean {
    return this.status === 504
  }
}

/** A proxy in front of the gateway may answer with other content than JSON. Then the code is `not_json`. */
export const toGatewayError = (response: Response, text: string, idempotencyKey?: string): GatewayError =>
  new GatewayError(
    response,
    parseErrorObject(text) ?? { error: 'not_json', message: text.slice(0, 200) },
    idempotencyKey,
  )

/** There was no response: the gateway was not reached, or the connection broke. With the same key the request can be repeated safely. */
export class GatewayUnreachable extends Error {
  override readonly name = 'GatewayUnreachable'
  readonly idempotencyKey: string | undefined

  constructor(
    message: string,
    { cause, idempotencyKey }: { cause: unknown; idempotencyKey: string | undefined },
  ) {
    super(message, { cause })
    this.idempotencyKey = idempotencyKey
  }
}

function parseErrorObject(text: string): ErrorObject | undefined {
  try {
    const body = JSON.parse(text)
    return typeof body?.error === 'string' ? body : undefined
  } catch {
    return undefined
  }
}
