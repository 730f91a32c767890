// Writes times, durations, numbers and sizes as the language of the page does.

import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { showMentionedNames } from '@msgnet/shared/mention-names.ts'
import { locale, texts } from './texts.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const number = new Intl.NumberFormat(locale)
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' })
const clockSeconds = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' })
const day = new Intl.DateTimeFormat(locale, { weekday: 'long', day: 'numeric', month: 'long' })
const shortDay = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
const dayAndClock = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const complete = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })

const NO_TIME = '–'

export type Time = string | number | Date

/** Undefined for a time that is not a date: the network may have sent it. */
export function toDate(time: Time | undefined): Date | undefined {
  if (time === undefined || time === '') return undefined
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? undefined : date
}

const formatDate = (format: Intl.DateTimeFormat, time: Time): string => {
  const date = toDate(time)
  return date ? format.format(date) : NO_TIME
}

/** 14:02 */
export const formatClock = (time: Time): string => formatDate(clock, time)

/** 14:02:31 */
export const formatClockSeconds = (time: Time): string => formatDate(clockSeconds, time)

/** Monday, November 23 */
export const formatDay = (time: Time): string => formatDate(day, time)

/** Nov 23 */
export const formatShortDay = (time: Time): string => formatDate(shortDay, time)

/** Day, year and second, for tooltips and detail pages. */
export const formatDateTime = (time: Time): string => formatDate(complete, time)

/** The clock for a time of today, with the day for all others. */
export function formatMoment(time: Time, now = Date.now()): string {
  const date = toDate(time)
  if (!date) return NO_TIME
  const isToday = date.toDateString() === new Date(now).toDateString()
  return (isToday ? clock : dayAndClock).format(date)
}

/** As a field for a date and time takes it, in the zone of this browser. */
export const formatLocal = (date: Date): string =>
  new Date(date.getTime() - date.getTimezoneOffset() * MINUTE).toISOString().slice(0, 16)

const AGO_UNITS = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', SECOND],
] as const

/** 5 min ago, in 3 hr., just now */
export function formatAgo(time: Time, now = Date.now()): string {
  const date = toDate(time)
  if (!date) return NO_TIME
  const distance = date.getTime() - now
  const [unit, size] = AGO_UNITS.find(([, each]) => Math.abs(distance) >= each) ?? ['second', SECOND]
  return Math.abs(distance) < SECOND ? texts.justNow : relative.format(Math.round(distance / size), unit)
}

export const formatNumber = (value: number): string => number.format(value)

/** `share` from 0 to 1. */
export const formatPercent = (share: number): string => percent.format(share)

const formatUnit = (value: number, unit: string, digits = 0): string =>
  new Intl.NumberFormat(locale, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: digits,
  }).format(value)

const twoDigits = new Intl.NumberFormat(locale, { minimumIntegerDigits: 2 })

/** 1:07, for what is played. */
export function formatLength(seconds: number): string {
  const whole = Math.round(seconds)
  return `${number.format(Math.floor(whole / 60))}:${twoDigits.format(whole % 60)}`
}

/** 850 ms, 4.2 s, 3 min 20 s, 5 h 10 min, 2 d 4 h: the two largest units. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < SECOND) return formatUnit(milliseconds, 'millisecond')
  if (milliseconds < 10 * SECOND) return formatUnit(milliseconds / SECOND, 'second', 1)
  if (milliseconds < MINUTE) return formatUnit(milliseconds / SECOND, 'second')
  const [large, size, small, smallSize] =
    milliseconds < HOUR
      ? (['minute', MINUTE, 'second', SECOND] as const)
      : milliseconds < DAY
        ? (['hour', HOUR, 'minute', MINUTE] as const)
        : (['day', DAY, 'hour', HOUR] as const)
  const rest = Math.floor((milliseconds % size) / smallSize)
  const whole = formatUnit(Math.floor(milliseconds / size), large)
  return rest ? `${whole} ${formatUnit(rest, small)}` : whole
}

const BYTE_UNITS = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte']

/** 812 byte, 14 kB, 3.2 MB: in thousands, as file managers count. */
export function formatBytes(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  return formatUnit(
    bytes / 1000 ** power,
    BYTE_UNITS[power] ?? 'byte',
    power && bytes / 1000 ** power < 10 ? 1 : 0,
  )
}

/** The text of a message with the names of the people whom it mentions. */
export const formatMentions = ({ text, mentions }: Pick<MessageRecord, 'text' | 'mentions'>): string =>
  showMentionedNames(text, mentions)
