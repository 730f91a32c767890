// Time in the gateway: integer milliseconds since the epoch inside, RFC 3339 where the contract says date-time.

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const digits = (width: number) =>
  Array.from({ length: 10 ** width }, (_, value) => String(value).padStart(width, '0'))
const [two, three] = [digits(2), digits(3)]

// A long list has thousands of times within a few days; with Date each takes five times as long.
let day = Number.NaN
let date = ''

/** RFC 3339 in UTC with milliseconds; the empty string for "never". */
export function dateTime(ms: number | null | undefined): string {
  if (!ms) return ''
  const its = Math.floor(ms / DAY)
  if (its !== day) {
    date = new Date(its * DAY).toISOString().slice(0, 11)
    day = its
  }
  const left = Math.floor(ms) - its * DAY
  const seconds = Math.floor(left / SECOND)
  const minutes = Math.floor(seconds / 60)
  return `${date}${two[Math.floor(minutes / 60)]}:${two[minutes % 60]}:${two[seconds % 60]}.${three[left % SECOND]}Z`
}
