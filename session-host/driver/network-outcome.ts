// The answer of the network to a request.

/** Why something was not done although the network refused nothing: callers see it as `error_key`. */
export type Prevention = 'lookup_incomplete' | 'encryption_failed'

/** Four kinds, because silence is neither success nor refusal. */
export type NetworkOutcome<Value = void> =
  | { kind: 'done'; value: Value }
  /** `code` is the network's code. */
  | { kind: 'refused'; code: number; message?: string }
  /** It ended before it could have an effect. */
  | { kind: 'prevented'; by: Prevention; message?: string }
  | { kind: 'silent'; message?: string }
