// What comes of asking the network.

/** Told apart, because silence is neither success nor refusal. */
export type Answer<Value = void> =
  | { kind: 'done'; value: Value }
  /** `code` is the network's own number. */
  | { kind: 'refused'; code: number; message?: string }
  | { kind: 'silent'; message?: string }
