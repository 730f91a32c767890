// What a caller does about each error: the documentation shows it beside the cause.

import { Fault, type FaultName, faultNames } from '@msgnet/shared/fault-table.ts'

const cures: Record<FaultName, string> = {
  invalid_request: 'Send the request with an HTTP client, not by hand.',
  invalid_json: 'Send one JSON value in UTF-8. Quotes and line breaks in a text must be escaped.',
  invalid_body: 'Compare the body with the fields of the route; `message` names the first wrong field.',
  invalid_query:
    'Name each parameter once, and only those that the route has; `message` says which one is wrong.',
  invalid_name: 'Shorten the name, and remove control characters.',
  invalid_kind: 'Send `msgnet`, or leave the field out.',
  invalid_phone: 'Send digits only, with country code: `5511999999999`.',
  invalid_number: 'Send digits with country code, or an id as it stands in `chatid`.',
  invalid_id: 'Send the id exactly as a response or an event contained it.',
  invalid_group: 'Send the `JID` of the group; `GET /group/list` has it.',
  invalid_participants: 'Send a list of phone numbers with country code, within the limits of the route.',
  invalid_image: 'Send a whole JPEG, PNG or GIF, as base64, data URI or URL.',
  invalid_message: 'Compare the content with the fields of the route; `message` says what is wrong.',
  invalid_limit: 'Send a `limit` within the range of the route.',
  invalid_status: 'Send one of the values that the route lists.',
  invalid_idempotency_key: 'Use a UUID, or an id of your own without spaces.',
  invalid_url:
    'Use a public `https` address. For a receiver in your own network, the operator adds its host and port to `WEBHOOK_ALLOWLIST`.',
  invalid_event: 'Send names of events as this page lists them, or `all`.',
  invalid_events: 'Send a list of names, or `all`.',
  invalid_exclude: 'Send only filters that the route lists.',
  invalid_secret: 'Use `whsec_` and the base64 of 32 random bytes.',
  invalid_action: 'Send one of the values that the route lists.',
  unsupported_option: 'Leave the field out that `message` names; this server has nothing in its place.',
  unauthorized:
    'Send the token once, in its own header: `token` for an instance, `admintoken` for operators. Check that it is whole and not replaced.',
  not_in_group: 'Join the group first, or choose a group from `GET /group/list`.',
  not_admin: 'Ask an admin of the group to promote the account.',
  scope_insufficient: 'Use an admin token of the scope that `message` names; `POST /v1/tokens` creates one.',
  foreign_origin: 'The operator adds the origin of the page to `CORS_ORIGINS`.',
  not_found: 'Check path and spelling against this page.',
  instance_not_found:
    'Check the id in the path or in the header `instance`; the instance may be deleted. `GET /instance/all` lists all of them.',
  webhook_not_found: 'Read the id with `GET /webhook`, or leave it out.',
  host_not_found: 'Read the id with `GET /v1/hosts`.',
  event_not_found: 'Read the id with `GET /v1/events`; events are deleted after `KEEP_EVENTS_DAYS`.',
  link_not_found:
    'Read the id with `GET /v1/instances/{id}/links`. A link that was used or has expired is not in that list.',
  too_many_webhooks: 'Remove one of those that `GET /v1/webhooks` lists, or change it.',
  token_not_found: 'Read the id with `GET /v1/tokens`, or for an instance with `GET /instance/tokens`.',
  too_many_tokens: 'Delete one of those that `GET /instance/tokens` lists.',
  token_scope: 'Use a token of the scope that `message` names, or the own token of the instance.',
  group_not_found: 'Read the id with `GET /group/list`; with `force` it asks the network.',
  message_not_found:
    'Check the id. Messages from before the device was linked, and deleted ones, are not stored.',
  method_not_allowed: 'Use a method that the header `Allow` names.',
  request_timeout: 'Send the body at once after its headers; check the connection.',
  handle_taken: 'Choose another handle.',
  session_owned_elsewhere: 'Repeat the request after some seconds: the session moves to another host.',
  session_conflict: 'Read the state with `GET /instance/status`; `message` says what is missing.',
  not_connected: 'Link or restart the instance, and wait until its status is `connected`.',
  idempotency_in_progress: 'Repeat the same request after a second: it returns the outcome of the first one.',
  image_too_large: 'Reduce the image; `GET /v1/capabilities` has the limits.',
  body_too_large: 'Send a smaller body, or a URL instead of the file.',
  unsupported_media_type: 'Send `content-type: application/json`; for a file, one of the types of the route.',
  not_an_image: 'Convert the image to JPEG, PNG or GIF.',
  idempotency_mismatch: 'Use a new key for each new request; repeat one with exactly the same bytes.',
  not_on_network: 'Check the number with `POST /chat/check`, and remove it from your list.',
  operation_refused: 'Do not repeat it unchanged. `provider_code` and `message` have what the network said.',
  worker_full: 'Repeat the request later; the operator adds a host or slots.',
  rate_limited: 'Wait for `Retry-After`, then send more slowly.',
  quota_reached: 'Wait for `Retry-After`, then send more slowly; `GET /v1/capabilities` has the quotas.',
  head_too_large: 'Send less in the address and in the headers.',
  internal:
    'Repeat the request with the same Idempotency-Key. If it persists, give the operator the request id.',
  calls_not_supported: 'The operator turns the module on with `CALLS`.',
  storage_unavailable: 'Repeat the request after `Retry-After`, with the same Idempotency-Key.',
  msgnet_unreachable: 'Nothing was sent: repeat the request later with the same key.',
  media_unavailable:
    'Check that the URL responds quickly with the file. Old files may be gone from the network.',
  webhooks_disabled: 'The operator turns webhooks on; until then use `GET /v1/events/stream`.',
  outcome_unknown:
    'Repeat the request with the same Idempotency-Key, or look for `messageid` with `POST /message/find`. Never send it with a new key.',
}

interface ErrorCause {
  fault: FaultName
  message: string
  cure: string
  key: string | undefined
  status: number
  retryAfter: number | undefined
}

export interface ErrorEntry {
  code: string
  statuses: number[]
  causes: ErrorCause[]
}

/** The place of a code on the page: an `error` of a response leads there. */
export const toErrorAnchor = (code: string): string => `error-${code}`

export const readErrorCode = (fault: FaultName): string => new Fault(fault).body.error

/** Every code with all its causes, by status. */
export function listErrors(): ErrorEntry[] {
  const causes = faultNames.map((fault) => {
    const { message, status, retryAfter, body } = new Fault(fault)
    return { code: body.error, fault, message, status, retryAfter, key: body.error_key, cure: cures[fault] }
  })
  return [...Map.groupBy(causes, ({ code }) => code)]
    .map(([code, group]) => ({
      code,
      causes: group,
      statuses: [...new Set(group.map(({ status }) => status))],
    }))
    .sort((one, other) => (one.statuses[0] ?? 0) - (other.statuses[0] ?? 0))
}
