// When a client sends a request again, how often, and after which pause: the one table from which the clients of all languages are made.

/** A pause doubles with each attempt, from the first to the longest. In seconds. */
interface Pause {
  first: number
  longest: number
}

/** The first row that fits an error applies. An error that fits none ends the call. */
export const repeatRules = {
  /** The network was asked, or still is: the request is sent again with its key until the outcome is known. Only with a key. */
  openOutcome: {
    codes: ['outcome_unknown', 'idempotency_in_progress'],
    pause: { first: 1, longest: 10 } satisfies Pause,
  },
  /** Nothing has happened yet, and the gateway says when to come again (`Retry-After`, whole seconds). Every request. */
  comeAgain: { statuses: [429, 502, 503] },
  /** There is no answer of the gateway, or only one of a proxy, so it may have happened. Only with a key, or if the request only reads. */
  noAnswer: {
    /** Of an error that is no JSON of the gateway. */
    codes: ['not_json'],
    pause: { first: 0.5, longest: 8 } satisfies Pause,
    /** A pause is a random part of itself, from this share up, so that clients do not come all at once. */
    minShare: 0.5,
  },
  /** What a caller can change, by default. */
  limits: {
    /** Requests in all, where the gateway was not reached or said when to come again. */
    attempts: 4,
    /** Seconds. A longer `Retry-After` ends the call at once. */
    longestPause: 60,
    /** Seconds for which an open outcome is asked for. */
    resolveFor: 60,
  },
  /** The stream of events is opened again after its last event, as often as it breaks. It ends with any other refusal than these. */
  stream: {
    statuses: [429],
    minStatus: 500,
    pause: { first: 1, longest: 30 } satisfies Pause,
    /** Seconds without a byte after which it counts as broken. A heartbeat comes every 15. */
    maxSilence: 60,
  },
} as const
