// Errors in the form of the Cloud API: its code, type and words for each fault of the contract.

import type { Context } from 'hono'
import { ContractRefusal } from '../http/call-contract.ts'
import { type Refused, respondRefusal } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'

interface CloudError {
  status: number
  code: number
  title: string
}

const invalid: CloudError = { status: 400, code: 131009, title: 'Parameter value is not valid' }
const missingObject: CloudError = { status: 400, code: 100, title: 'Invalid parameter' }
const unreachable: CloudError = { status: 503, code: 131016, title: 'Service unavailable' }
const unknown: CloudError = { status: 500, code: 131000, title: 'Something went wrong' }

/** Programs take a code of authorisation as the end of their account, so only a wrong credential has 190. */
const byCode: Record<string, CloudError> = {
  unauthorized: { status: 401, code: 190, title: 'Invalid OAuth access token' },
  not_admin: { status: 403, code: 10, title: 'Application does not have permission for this action' },
  not_found: { status: 404, code: 2500, title: 'Unknown path components' },
  invalid_id: missingObject,
  instance_not_found: missingObject,
  message_not_found: missingObject,
  method_not_allowed: missingObject,
  not_connected: { status: 400, code: 133010, title: 'Phone number not registered' },
  session_conflict: { status: 400, code: 133010, title: 'Phone number not registered' },
  rate_limited: { status: 429, code: 130429, title: 'Rate limit hit' },
  media_unavailable: { status: 400, code: 131052, title: 'Media download error' },
  unsupported_media_type: { status: 400, code: 131053, title: 'Media upload error' },
  invalid_image: { status: 400, code: 131053, title: 'Media upload error' },
  image_too_large: { status: 400, code: 131053, title: 'Media upload error' },
  body_too_large: { status: 400, code: 131053, title: 'Media upload error' },
  not_on_network: { status: 400, code: 131026, title: 'Message undeliverable' },
  operation_refused: { status: 400, code: 131000, title: 'Something went wrong' },
  outcome_unknown: { status: 504, code: 131000, title: 'Something went wrong' },
  session_owned_elsewhere: unreachable,
  msgnet_unreachable: unreachable,
  storage_unavailable: unreachable,
  webhooks_disabled: unreachable,
}

/** A refusal that only this form has, with its own code. */
export class CloudRefusal extends ContractRefusal {
  readonly code: number
  readonly title: string

  constructor(code: number, title: string, details: string) {
    super(400, { error: 'invalid_body', message: details }, null)
    this.code = code
    this.title = title
  }
}

/** Of the failed status of a message. */
export const describeFailure = (error: string): { code: number; title: string } =>
  failures[error] ?? { code: 131000, title: 'Something went wrong' }

/** By the code of the contract, or the number of the network. */
const failures: Record<string, { code: number; title: string }> = {
  not_on_network: { code: 131026, title: 'Message undeliverable' },
  '404': { code: 131026, title: 'Message undeliverable' },
  '429': { code: 130429, title: 'Rate limit hit' },
  '463': { code: 131048, title: 'Spam rate limit hit' },
  '475': { code: 131049, title: 'This message was not delivered to maintain healthy ecosystem engagement' },
  rate_limited: { code: 130429, title: 'Rate limit hit' },
  msgnet_unreachable: { code: 131016, title: 'Service unavailable' },
  not_connected: { code: 133010, title: 'Phone number not registered' },
  media_unavailable: { code: 131052, title: 'Media download error' },
}

function findError(refused: Refused): CloudError {
  const { status, body } = refused
  if (refused instanceof CloudRefusal) return { status, code: refused.code, title: refused.title }
  const known = byCode[body.error]
  if (known) return known
  if (status === 400 || status === 422) return invalid
  return status >= 500 ? unknown : { ...invalid, status }
}

/** Of one of several people or files. */
export function describeRefusal(refused: Refused) {
  const { code, title } = findError(refused)
  return { code, message: title, error_data: { details: refused.body.message ?? refused.body.error } }
}

export function toCloudErrorResponse(refused: Refused, c: Context<EdgeEnv>): Response {
  const { status, code, title } = findError(refused)
  return writeError(c, {
    status,
    code,
    title,
    details: refused.body.message ?? refused.body.error,
    retryAfter: refused.retryAfter,
  })
}

function writeError(
  c: Context<EdgeEnv>,
  {
    status,
    code,
    title,
    details,
    retryAfter = null,
  }: CloudError & { details: string; retryAfter?: string | null },
): Response {
  const error = {
    message: `(#${code}) ${title}`,
    type: 'OAuthException',
    code,
    error_data: { messaging_product: 'whatsapp', details },
    fbtrace_id: c.var.requestId,
  }
  return respondRefusal(status, { error }, retryAfter)
}
