// A fast check of the frames that a host sends for every message: their schemas cost ten times as much.

import { deliveredEvents } from '../contract/event-names.ts'
import { limits } from '../contract/limits.ts'
import { type EventReport, MAX_TRACEPARENT_LENGTH, ReceivedReport } from './host-reports.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const eventNames: ReadonlySet<unknown> = new Set(deliveredEvents)

type Fields = Record<string, unknown>

type CommonFrame =
  | { t: 'events'; items: ReceivedReport[] }
  | { t: 'accepted'; id: string }
  | { t: 'outcome'; id: string; outcome: { kind: 'done'; result: unknown }; instance: string }

/**
 * Returns the frame if its schema would return the same value. Undefined means that the schema must decide. `max`: the most
 * items in a frame of events.
 */
export function parseCommonFrame(frame: unknown, max: number): CommonFrame | undefined {
  if (!isObject(frame)) return undefined
  const { t, id, items, outcome, instance } = frame
  const fields = Object.keys(frame).length
  if (t === 'events' && fields === 2 && Array.isArray(items) && items.length > 0 && items.length <= max)
    return { t, items: items.map((item) => (isCommonEvent(item) ? item : ReceivedReport.parse(item))) }
  if (t === 'accepted' && fields === 2 && isUuid(id)) return { t, id }
  if (t === 'outcome' && fields === 4 && isUuid(id) && isDone(outcome) && isUuid(instance))
    return { t, id, outcome, instance }
  return undefined
}

/** True if it has all its fields and no others. */
function isCommonEvent(report: unknown): report is EventReport {
  if (!isObject(report) || report.t !== 'event') return false
  const { n, instance, epoch, id, type, owner, at, payload, cause } = report
  if (Object.keys(report).length !== (isCause(cause) ? 10 : 9)) return false
  const isNumbered = isWholeNumber(n, 0) && isWholeNumber(epoch, 1) && isWholeNumber(at, 1)
  const isNamed = isUuid(instance) && isUuid(id) && eventNames.has(type) && typeof owner === 'string'
  return isNumbered && isNamed && isRecord(payload)
}

const isCause = (cause: unknown): boolean =>
  isObject(cause) &&
  Object.keys(cause).length === 2 &&
  isText(cause.requestId, limits.maxRequestIdLength) &&
  isText(cause.traceparent, MAX_TRACEPARENT_LENGTH)

/** The schema drops a field `__proto__`: code that copies it field by field would change the copy's prototype. */
const isRecord = (value: unknown): boolean =>
  isObject(value) && !Array.isArray(value) && !Object.hasOwn(value, '__proto__')

const isDone = (outcome: unknown): outcome is { kind: 'done'; result: unknown } =>
  isObject(outcome) &&
  outcome.kind === 'done' &&
  Object.hasOwn(outcome, 'result') &&
  Object.keys(outcome).length === 2

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null

const isUuid = (value: unknown): value is string => typeof value === 'string' && UUID.test(value)

const isText = (value: unknown, max: number): boolean => typeof value === 'string' && value.length <= max

const isWholeNumber = (value: unknown, min: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= min
