// Converts rows of the searched list of instances to the records that operators see, and a position in it to the text of `after`.

import type { ListedInstance } from '@msgnet/shared/contract/responses/overview-responses.ts'
import { formatDateTime } from '@msgnet/shared/date-time.ts'
import * as z from 'zod'
import { decodeBase64, encodeBase64 } from '../runtime/base64.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import type { Position, SearchRow } from '../store/found-instances.ts'
import { toCoverage } from './coverage-record.ts'
import { toInstanceRecord } from './instance-record.ts'

export function toListedInstance(row: SearchRow, leaseMs: number): ListedInstance {
  const failed = row.webhookState === 'failing' || row.webhookState === 'resting'
  return {
    ...toInstanceRecord({ ...row, isLeased: row.isLeased === 1 }),
    coverage: toCoverage(row.coverage && JSON.parse(row.coverage), row.leaseUntil - leaseMs),
    number: row.number,
    reason: row.reason,
    lastEventAt: formatDateTime(row.lastEventAt),
    pending: row.pending,
    dead: row.dead,
    webhook: {
      state: row.webhookState,
      since: formatDateTime(row.webhookSince),
      cause: failed ? (row.failure ?? '') : '',
      status: failed ? (row.failureStatus ?? 0) : 0,
      id: row.webhookId ?? '',
      inherited: row.webhookMode === 'inherited',
    },
    host: row.hostId === null ? null : { id: row.hostId, region: row.hostRegion },
  }
}

/** With the order that it belongs to. */
export const formatPosition = (sort: string, { key, id }: Position): string =>
  encodeBase64(encodeUtf8(JSON.stringify([sort, key, id])))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const Written = z.tuple([z.string(), z.union([z.string(), z.number()]), z.string()])

/** Undefined unless it was formatted for this order. */
export function parsePosition(sort: string, text: string): Position | undefined {
  const padded = text.replaceAll('-', '+').replaceAll('_', '/') + '='.repeat(-text.length & 3)
  const bytes = decodeBase64(padded)
  if (!bytes) return undefined
  try {
    const [writtenSort, key, id] = Written.parse(JSON.parse(new TextDecoder().decode(bytes)))
    return writtenSort === sort ? { key, id } : undefined
  } catch {
    return undefined
  }
}
