// Time in the gateway: integer milliseconds since the epoch inside, RFC 3339 where the contract says date-time.

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

const createPaddedNumbers = (width: number) =>
  Array.from({ length: 10 ** width }, (_, value) => String(value).padStart(width, '0'))
const [twoDigits, threeDigits] = [createPaddedNumbers(2), createPaddedNumbers(3)]

// A long list has thousands of times within a few days; with Date each takes five times as long.
let day = Number.NaN
let date = ''

/** RFC 3339 in UTC with milliseconds; the empty string for "never". */
export function formatDateTime(ms: number | null | undefined): string {
  if (!ms) return ''
  const dayNumber = Math.floor(ms / DAY)
  if (dayNumber !== day) {
    date = new Date(dayNumber * DAY).toISOString().slice(0, 11)
    day = dayNumber
  }
  const msOfDay = Math.floor(ms) - dayNumber * DAY
  const seconds = Math.floor(msOfDay / SECOND)
  const minutes = Math.floor(seconds / 60)
  return `${date}${twoDigits[Math.floor(minutes / 60)]}:${twoDigits[minutes % 60]}:${twoDigits[seconds % 60]}.${threeDigits[msOfDay % SECOND]}Z`
}
