// The texts of errors, by the code of the API.

export const errors = {
  unreachable: 'The gateway did not respond. Is it running?',
  part_not_loaded: 'This part of the console could not be loaded. If it happens again, load the page again.',
  unauthorized: 'The token is no longer valid. Sign in again.',
  not_connected: 'The instance is not connected. Link it first, or wait until it is connected again.',
  session_conflict: 'The session cannot do this in its current state.',
  worker_full: 'No session host has a free slot.',
  rate_limited: 'Too many requests in a short time. Wait a little and try again.',
  storage_unavailable: 'The database did not respond. Nothing was changed: try again.',
  msgnet_unreachable: 'The messaging network, or the host of this session, cannot be reached.',
  outcome_unknown:
    'The network did not respond in time. The request may have taken effect: do not send it again. Its outcome is shown when it is known.',
  not_on_network: 'This number has no account on the network.',
  operation_refused: 'The network refused this.',
  media_unavailable: 'The file could not be downloaded.',
  webhooks_disabled: 'Webhooks are turned off on this server.',
  body_too_large: 'The request is too large.',
  internal: 'An unexpected error occurred. The log has its details under the request id.',
  not_in_group: 'The linked account is not in the group.',
  not_admin: 'The linked account is not an admin of the group.',
  calls_not_supported: 'The calls module is off on this server.',
  insufficient_scope: 'Your token lacks the rights for this. Sign in with one that has them.',
}
