// Says whether delivery works, since when it does not, and why. Every page takes its sentence from here.

import type { DeliveryStatus, WebhookHealth } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import { formatDuration, formatMoment } from '../formats.ts'
import { texts } from '../texts.ts'
import type { InstanceWebhook } from './instance-webhooks.ts'

const words = texts.deliveries.health

/** A receiver that has had an event for so long is said not to respond, although its time is not over. */
const SILENT_MS = 3000
/** As in the overview. */
const LONG_WAIT_MS = 60_000

export type DeliveryState =
  | 'off'
  | 'gone'
  | 'disabled'
  | 'silent'
  | 'failing'
  | 'catchingUp'
  | 'waiting'
  | 'idle'
  | 'healthy'
  | 'lossy'

export interface DeliveryNotice {
  state: DeliveryState
  kind: 'info' | 'good' | 'warn' | 'bad'
  /** For a badge. */
  label: string
  title: string
  text: string
}

export function describeDelivery(
  { registered, deliveryStatus: status }: WebhookHealth,
  now = Date.now(),
): DeliveryNotice {
  if (!registered || !status) return createNotice('off', 'info', words.off, words.offText)
  const { paused, pending, dead, lastFailure } = status
  const backlog = words.backlog(pending, dead)
  if (paused === 'gone') {
    const title = words.gone(formatMoment(lastFailure?.at ?? now))
    return createNotice('gone', 'bad', title, `${words.goneText} ${backlog}`.trim())
  }
  if (paused === 'disabled')
    return createNotice('disabled', 'warn', words.disabled, words.disabledText(pending))
  const silentSince = findSilence(status, now)
  if (silentSince) return createNotice('silent', 'bad', words.silent(formatMoment(silentSince)), backlog)
  if (status.failingSince) return describeFailures(status, status.failingSince, backlog)
  if (pending > 0 && isOlder(status.waitingSince, now, LONG_WAIT_MS))
    return createNotice('waiting', 'warn', words.waiting, words.catchingUpText(pending))
  if (pending > 0 && isOlder(status.waitingSince, now, SILENT_MS))
    return createNotice('catchingUp', 'info', words.catchingUp, words.catchingUpText(pending))
  if (dead > 0) return createNotice('lossy', 'warn', words.lossy(dead), words.lossyText)
  if (!status.lastDeliveredAt) return createNotice('idle', 'info', words.idle, words.idleText)
  return createNotice(
    'healthy',
    'good',
    words.healthy,
    words.healthyText(formatMoment(status.lastDeliveredAt)),
  )
}

const BY_WEIGHT: readonly DeliveryNotice['kind'][] = ['bad', 'warn', 'good', 'info']

export interface WebhookNotice {
  webhook: InstanceWebhook
  notice: DeliveryNotice
}

/** What each webhook says, the worst first. */
export const rankNotices = (webhooks: readonly InstanceWebhook[], now = Date.now()): WebhookNotice[] =>
  webhooks
    .map((webhook) => ({ webhook, notice: describeDelivery(webhook.health, now) }))
    .sort((a, b) => BY_WEIGHT.indexOf(a.notice.kind) - BY_WEIGHT.indexOf(b.notice.kind))

export const isTrouble = ({ kind }: DeliveryNotice): boolean => kind === 'bad' || kind === 'warn'

const createNotice = (
  state: DeliveryState,
  kind: DeliveryNotice['kind'],
  title: string,
  text: string,
): DeliveryNotice => ({ state, kind, label: words.labels[state], title, text })

function describeFailures(status: DeliveryStatus, since: string, backlog: string): DeliveryNotice {
  const next = status.pausedUntil ? words.next(formatMoment(status.pausedUntil)) : ''
  const title = words.failing(formatMoment(since), describeCause(status.cause))
  return createNotice('failing', 'bad', title, [backlog, next].filter(Boolean).join(' '))
}

const isOlder = (time: string | null, now: number, ms: number): boolean =>
  time !== null && now - Date.parse(time) > ms

/** Since when the receiver has had an event without responding: later than its last response, whatever that was. */
function findSilence(status: DeliveryStatus, now: number): number | undefined {
  if (!status.waitingSince) return undefined
  const times = [status.waitingSince, status.lastDeliveredAt, status.lastFailure?.at ?? '']
  const since = Math.max(...times.filter(Boolean).map((time) => Date.parse(time)))
  return now - since > SILENT_MS ? since : undefined
}

interface EndedAttempt {
  /** 0 if the receiver did not respond; undefined if that is not known. */
  status?: number | undefined
  /** Empty if it succeeded. */
  error: string
  ms?: number | undefined
}

/** What came of "Deliver now". */
export function describeAttempt({ status = 0, error, ms }: EndedAttempt): string {
  if (!error) return words.triedWell(ms === undefined ? '' : formatDuration(ms))
  return words.tried(
    status ? String(status) : describeCause(error),
    ms === undefined ? '' : formatDuration(ms),
  )
}

/** An error of an attempt in words: `status_500`, `timeout` and the like. */
export function describeCause(error: string): string {
  const status = /^status_(\d+)$/.exec(error)?.[1]
  if (status) return words.status(status)
  return (words.causes as Record<string, string>)[error] ?? error
}
