// Faults that many routes share.

/** Faults of every operation for which the session sends a request to the network. */
export const networkFaults = [
  ...(['not_connected', 'session_conflict', 'session_owned_elsewhere'] as const),
  ...(['msgnet_unreachable', 'operation_refused', 'outcome_unknown', 'rate_limited'] as const),
]

/** Faults of every operation that sends a message. */
export const sendFaults = [
  ...networkFaults,
  ...(['invalid_number', 'message_not_found', 'not_on_network', 'invalid_message'] as const),
  ...(['not_in_group', 'not_admin', 'group_not_found', 'quota_reached'] as const),
]

/** Faults of every operation on a group. */
export const groupFaults = [
  ...networkFaults,
  ...(['invalid_group', 'not_in_group', 'not_admin', 'group_not_found'] as const),
]
