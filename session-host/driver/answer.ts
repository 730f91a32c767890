// The answer of the network to a request.

/** Three kinds, because silence is neither success nor refusal. */
export type Answer<Value = void> =
  | { kind: 'done'; value: Value }
  /** `code` is the network's code. */
  | { kind: 'refused'; code: number; message?: string }
  | { kind: 'silent'; message?: string }
