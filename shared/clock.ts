// Time as the whole gateway counts it: integer milliseconds since the epoch inside, RFC 3339 where the contract says date-time.

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** RFC 3339 in UTC with milliseconds; the empty string for "never". */
export const dateTime = (ms: number | null | undefined): string => (ms ? new Date(ms).toISOString() : '')
