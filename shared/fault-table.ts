// Every error a caller can see: one closed table from fault to code, status and Retry-After. A route cannot invent one.

interface FaultKind {
  status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 413 | 415 | 422 | 429 | 431 | 500 | 501 | 502 | 503 | 504
  message: string
  /** Seconds, sent as `Retry-After`. */
  retryAfter?: number
  /** The code that callers see, if two faults share one. */
  code?: string
  /** Says which of the faults with the same code it is. */
  key?: string
}

const kinds = {
  invalid_request: { status: 400, message: 'The request is not valid HTTP.' },
  invalid_json: { status: 400, message: 'The body is not valid JSON.' },
  invalid_body: { status: 400, message: 'The body does not have the expected shape.' },
  invalid_query: { status: 400, message: 'A query parameter is not valid.' },
  invalid_name: { status: 400, message: 'The name is not valid.' },
  invalid_kind: { status: 400, message: 'kind must be "msgnet" or "calls".' },
  invalid_phone: { status: 400, message: 'phone must be 8 to 15 digits with country code.' },
  invalid_number: { status: 400, message: 'number is not a phone number or an id of the network.' },
  invalid_id: { status: 400, message: 'The id is not valid.' },
  invalid_group: { status: 400, message: 'groupjid must end in @g.us.' },
  invalid_participants: { status: 400, message: 'participants is not valid.' },
  invalid_image: { status: 400, message: 'The image is not valid.' },
  invalid_message: { status: 400, message: 'The message is not valid.' },
  invalid_limit: { status: 400, message: 'limit is out of range.' },
  invalid_status: { status: 400, message: 'status is not one of the known values.' },
  invalid_idempotency_key: {
    status: 400,
    message: 'Idempotency-Key must be 1 to 128 visible ASCII characters without spaces.',
  },
  invalid_url: { status: 400, message: 'The URL is not allowed.' },
  invalid_event: { status: 400, message: 'events names an unknown event.' },
  invalid_events: { status: 400, message: 'events must be a string or an array of event names.' },
  invalid_exclude: { status: 400, message: 'excludeMessages names an unknown filter.' },
  invalid_secret: { status: 400, message: 'secret must be up to 256 ASCII characters without spaces.' },
  invalid_action: { status: 400, message: 'action is not one of the known values.' },
  unsupported_option: { status: 400, message: 'This option is not supported.' },
  unauthorized: { status: 401, message: 'The credential is missing, invalid or given more than once.' },
  not_in_group: { status: 403, message: 'The linked account is not in the group.' },
  not_admin: { status: 403, message: 'The linked account is not an admin of the group.' },
  scope_insufficient: {
    status: 403,
    message: 'The scope of this admin token does not suffice.',
    code: 'not_admin',
    key: 'insufficient_scope',
  },
  token_scope: {
    status: 403,
    message: 'This token of the instance may not do this.',
    code: 'not_admin',
    key: 'scope',
  },
  foreign_origin: {
    status: 403,
    message: 'Pages of this origin may not call tools: CORS_ORIGINS does not name it.',
    code: 'not_admin',
    key: 'foreign_origin',
  },
  not_found: { status: 404, message: 'There is no such route.' },
  instance_not_found: { status: 404, message: 'There is no such instance.' },
  webhook_not_found: { status: 404, message: 'There is no such webhook.', code: 'not_found' },
  too_many_webhooks: {
    status: 409,
    message: 'An instance has at most five webhooks: the first, and four beside it.',
  },
  too_many_tokens: {
    status: 409,
    message: 'The instance has as many scoped tokens as it may have: 100.',
    code: 'session_conflict',
    key: 'too_many_tokens',
  },
  link_not_found: { status: 404, message: 'There is no such link.', code: 'not_found' },
  host_not_found: { status: 404, message: 'There is no such host.', code: 'not_found' },
  event_not_found: { status: 404, message: 'There is no such event.', code: 'not_found' },
  token_not_found: { status: 404, message: 'There is no such token.', code: 'not_found' },
  group_not_found: { status: 404, message: 'There is no such group.' },
  message_not_found: { status: 404, message: 'There is no such message.' },
  method_not_allowed: { status: 405, message: 'The method is not allowed on this route.' },
  request_timeout: { status: 408, message: 'The request did not arrive in time.' },
  handle_taken: { status: 409, message: 'Another instance has this handle.' },
  session_owned_elsewhere: { status: 409, message: 'The session is held by another host.' },
  session_conflict: { status: 409, message: 'The session cannot do this in its present state.' },
  not_connected: { status: 409, message: 'The instance is not connected.' },
  idempotency_in_progress: { status: 409, message: 'A request with this key is still running.' },
  image_too_large: { status: 413, message: 'The image is too large.' },
  body_too_large: { status: 413, message: 'The body is too large.' },
  unsupported_media_type: { status: 415, message: 'The body must be application/json.' },
  not_an_image: { status: 415, message: 'The image is not a JPEG, PNG or GIF.', code: 'invalid_image' },
  idempotency_mismatch: { status: 422, message: 'This key was used for a different request.' },
  not_on_network: { status: 422, message: 'The number has no account on the network.' },
  operation_refused: { status: 422, message: 'The network refused the operation.' },
  worker_full: { status: 429, message: 'No session host has a free slot.', retryAfter: 5 },
  rate_limited: { status: 429, message: 'The network limits how often this may be done.', retryAfter: 30 },
  quota_reached: {
    status: 429,
    message: 'The instance or its token does this more often than it may.',
    code: 'rate_limited',
    retryAfter: 1,
  },
  head_too_large: { status: 431, message: 'The URL and the headers are larger than 32 KiB.' },
  internal: { status: 500, message: 'An unexpected error occurred; the log has it under the request id.' },
  calls_not_supported: { status: 501, message: 'The calls module is off on this server.' },
  storage_unavailable: { status: 502, message: 'The storage did not respond.', retryAfter: 5 },
  msgnet_unreachable: { status: 502, message: 'The messaging network cannot be reached.' },
  media_unavailable: { status: 502, message: 'The media could not be fetched.' },
  webhooks_disabled: { status: 503, message: 'Webhooks are turned off on this server.' },
  outcome_unknown: {
    status: 504,
    message: 'The network did not respond in time; it is not known whether the request took effect.',
  },
} as const satisfies Record<string, FaultKind>

export type FaultName = keyof typeof kinds
export const faultNames = Object.keys(kinds) as [FaultName, ...FaultName[]]

/** The contract's Error object ("Errors"): always with `error`, the rest where it applies. */
export interface ErrorBody {
  error: string
  message?: string
  messageid?: string
  provider_code?: number
  error_key?: string
  error_source?: string
  until?: number
  details?: Record<string, unknown>
}

export type FaultDetail = Omit<ErrorBody, 'error'>

/** Thrown by a route that refuses; `edge/http/fault-response.ts` turns it into a response. */
export class Fault extends Error {
  readonly fault: FaultName
  readonly detail: FaultDetail

  readonly #retryAfter: number | undefined

  /** `retryAfter`: seconds, if they are more exact than the table. */
  constructor(fault: FaultName, detail: FaultDetail | string = {}, retryAfter?: number) {
    const details = typeof detail === 'string' ? { message: detail } : detail
    super(details.message ?? kinds[fault].message)
    this.fault = fault
    this.detail = details
    this.#retryAfter = retryAfter
  }

  get status(): FaultKind['status'] {
    return kinds[this.fault].status
  }

  /** Seconds, or undefined where the contract names none. */
  get retryAfter(): number | undefined {
    return this.#retryAfter ?? (kinds[this.fault] as FaultKind).retryAfter
  }

  get body(): ErrorBody {
    const kind = kinds[this.fault] as FaultKind
    return {
      error: kind.code ?? this.fault,
      ...(kind.key && { error_key: kind.key }),
      ...this.detail,
      message: this.message,
    }
  }
}
