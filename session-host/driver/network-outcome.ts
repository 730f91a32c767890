// How a request to the network ended.

/**
 * Why something was not done although the network refused nothing. `not_connected`: the session has ended. `msgnet_unreachable`: nothing of
 * it was written until its time was over. `quota_reached`: it costs more than the instance has left of its minute.
 */
export type Prevention =
  | 'lookup_incomplete'
  | 'encryption_failed'
  | 'media_unavailable'
  | 'msgnet_unreachable'
  | 'not_connected'
  | 'quota_reached'

/** Four kinds: a network that is unresponsive has neither done nor refused anything. */
export type NetworkOutcome<Value = void> =
  | { kind: 'done'; value: Value }
  /** `code` is the network's code. */
  | { kind: 'refused'; code: number; message?: string }
  /** It ended before it could have an effect. `waitMs`: after which it may be tried again, if that is known. */
  | { kind: 'prevented'; by: Prevention; message?: string; waitMs?: number }
  /** No answer. A driver says this of every request; what it means for the act, `request-tracking.ts` decides. `lost`: with the connection. */
  | { kind: 'unknown'; message?: string; lost?: true }

/** Thrown by what reads or writes the keys of a connection that has ended. */
export class ConnectionEnded extends Error {}
