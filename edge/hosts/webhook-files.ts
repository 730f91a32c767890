// The stored file of a message, for the body of a webhook: no request asks for it, so it is bounded in time, and in the memory of its instance.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { HOUR, SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { createUnknownOutcome } from '@msgnet/shared/wire/outcome.ts'
import type { EventSource } from '../dialect/event-format.ts'
import { formatHolder, HeldBytes } from '../limits/held-bytes.ts'
import { countBase64, joinBase64 } from '../media/base64-response.ts'
import type { ActOutcome } from '../objects/objects.ts'
import { log } from '../observability/edge-log.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { setTimerDeadline } from '../runtime/deadlines.ts'
import type { Env } from '../settings/env.ts'
import { openStore } from '../store/database/open-store.ts'
import { findInstanceById, type InstanceRow } from '../store/instance-queries.ts'
import { ensureLiveHost } from './placement.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** `absent`: there is none any more. `unavailable`: it cannot be had now, and may be later. */
type StoredFile = { chunks: Uint8Array[]; held: HeldBytes } | 'absent' | 'unavailable'

/** An event, and the message whose file it comes with. */
export interface FileOfEvent {
  event: Pick<EventSource, 'instanceId' | 'at'>
  message: MessageRecord
}

/** From the host to the last byte. */
const READ_TIMEOUT = 10 * SECOND
/** So long an event waits for a host that is away, before it goes without its file. */
const MAX_WAIT = HOUR

/** Whether its file is stored at the host, and small enough for a body. The record of an event says it, which never changes. */
export const hasBodyFile = ({ fileURL, content }: MessageRecord): boolean =>
  Boolean(fileURL) && readLength(content) <= limits.maxBase64Bytes

const readLength = ({ fileLength }: MessageRecord['content']): number => Number(fileLength ?? 0)

/**
 * Returns the JSON of what `build` makes of the file as base64, which is in it once. `build` gets undefined for a file that is gone. `hold` is
 * called with what releases the memory of the body when it is not used any more.
 */
export async function fillWithFile(
  env: Env,
  file: FileOfEvent,
  build: (base64: string | undefined) => object,
  hold: (release: () => void) => void,
): Promise<Bytes | 'unavailable'> {
  const stored = await readStoredFile(env, file)
  if (stored === 'unavailable') return stored
  if (stored === 'absent') return encodeUtf8(JSON.stringify(build(undefined)))
  hold(() => stored.held.release())
  const place = crypto.randomUUID()
  const [before = '', after = ''] = JSON.stringify(build(place)).split(place)
  return joinBase64(encodeUtf8(before), stored.chunks, encodeUtf8(after))
}

async function readStoredFile(env: Env, { event, message }: FileOfEvent): Promise<StoredFile> {
  const held = new HeldBytes(env, formatHolder({ kind: 'instance', id: event.instanceId }))
  const missing = Date.now() - event.at > MAX_WAIT ? 'absent' : 'unavailable'
  try {
    const instance = await findHostedInstance(env, event.instanceId)
    if (!instance) return missing
    held.reserveBytes(countBase64(readLength(message.content)))
    const chunks = await readInTime(env, instance, message.messageid)
    if (Array.isArray(chunks)) return { chunks, held }
    held.release()
    return isGone(chunks) ? 'absent' : missing
  } catch (error) {
    held.release()
    // A limit of memory, or no host. A failure of the database is one of the whole delivery.
    if (error instanceof Fault) return missing
    throw error
  }
}

async function findHostedInstance(env: Env, id: string): Promise<InstanceRow | undefined> {
  const store = openStore(env)
  const instance = await findInstanceById(store, id)
  const hosted = instance && (await ensureLiveHost(env, store, instance))
  return hosted?.hostId ? hosted : undefined
}

/** The host has no such message, or its file is larger than the message has said. */
const isGone = (outcome: ActOutcome): boolean =>
  outcome.kind === 'refused' && ['message_not_found', 'body_too_large'].includes(outcome.fault)

/** Returns the outcome of the host if that is not the whole file. */
async function readInTime(
  env: Env,
  instance: InstanceRow,
  messageid: string,
): Promise<Uint8Array[] | ActOutcome> {
  const abort = new AbortController()
  const { setDeadline = setTimerDeadline } = env
  const cancelDeadline = setDeadline(READ_TIMEOUT, () => abort.abort())
  try {
    return await readChunks(env, instance, messageid, abort.signal)
  } catch (error) {
    log(env, 'warn', 'failed to read file for webhook', { instance: instance.id, message: messageid, error })
    return createUnknownOutcome()
  } finally {
    cancelDeadline()
    abort.abort()
  }
}

async function readChunks(
  env: Env,
  { id: instance, epoch, hostId }: InstanceRow,
  messageid: string,
  signal: AbortSignal,
): Promise<Uint8Array[] | ActOutcome> {
  const link = env.runtime.getLink(hostId)
  const parcel = crypto.randomUUID()
  const input = { id: messageid, parcel, atMost: limits.maxBase64Bytes }
  const acting = { t: 'act', id: crypto.randomUUID(), instance, epoch } as const
  const downloaded = link.downloadTransfer(parcel, signal)
  // Both are awaited later: until then a failure must not count as unhandled.
  downloaded.catch(() => undefined)
  const outcome = link.dispatchAct(
    { ...acting, action: 'message.download', input, budget: READ_TIMEOUT },
    READ_TIMEOUT,
  )
  outcome.catch(() => undefined)
  // The first of: the bytes, or the reason why there are none.
  const first = await Promise.race([downloaded, outcome])
  const body = first && 'kind' in first ? first.kind === 'done' && (await downloaded) : first
  const chunks = body ? await readToEnd(body, signal) : []
  // The end of the stream does not show whether the file was complete; the outcome does.
  const ended = await outcome
  return ended.kind === 'done' ? chunks : ended
}

async function readToEnd(body: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<Uint8Array[]> {
  const reader = body.getReader()
  signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined))
  const chunks: Uint8Array[] = []
  for (let next = await reader.read(); !next.done; next = await reader.read()) chunks.push(next.value)
  return chunks
}
