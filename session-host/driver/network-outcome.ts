// How a request to the network ended.

/** Why something was not done although the network refused nothing: callers see it as `error_key`. */
export type Prevention = 'lookup_incomplete' | 'encryption_failed'

/** Four kinds: a network that is unresponsive has neither done nor refused anything. */
export type NetworkOutcome<Value = void> =
  | { kind: 'done'; value: Value }
  /** `code` is the network's code. */
  | { kind: 'refused'; code: number; message?: string }
  /** It ended before it could have an effect. */
  | { kind: 'prevented'; by: Prevention; message?: string }
  | { kind: 'unknown'; message?: string }
