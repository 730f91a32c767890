// The reports of a history: what is new of a page, in parts. Once the edge has said of a part that no webhook gets it, the others are not made.

import type { HistoryPayload } from '@msgnet/shared/contract/change-envelopes.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { HistoryChunk } from '../driver/driver.ts'
import type { MessageRow } from '../store/message-store.ts'
import type { NewEvent } from './message-records.ts'

/** Of its records as JSON, in UTF-8, so that one fits into a frame to the edge. */
const MAX_EVENT_BYTES = 200_000
/** A webhook may be saved while a history comes: after this time, and with each chunk, a part is reported again. */
const ASK_AGAIN_MS = 5 * SECOND

/** A message as it is stored. `json`: its record. `name`: of its chat; empty if it is not known. `order`: as in `PastMessage`. */
export interface NewMessage {
  row: MessageRow
  json: string
  name: string
  order: number
}

/** The part that shows whether a webhook gets those after it. */
interface Probe {
  id: string
  at: number
  isUnwanted: boolean
}

export class HistoryReports {
  /** Of each kind of chunk, since a shared history may come at the same time as the phone's. */
  readonly #probes = new Map<HistoryChunk['kind'], Probe>()

  create(
    { kind, progress, chunk }: Pick<HistoryChunk, 'kind' | 'progress' | 'chunk'>,
    fresh: NewMessage[],
  ): NewEvent[] {
    const probe = this.#probes.get(kind)
    const isCurrent = probe !== undefined && Date.now() - probe.at < ASK_AGAIN_MS
    if (fresh.length === 0 || (isCurrent && probe.isUnwanted)) return []
    const [first, ...others] = divide(fresh).map((part) => describePart({ progress, chunk }, part))
    if (!first) return []
    const id = crypto.randomUUID()
    if (!isCurrent) this.#probes.set(kind, { id, at: Date.now(), isUnwanted: false })
    return [{ id, ...first }, ...others]
  }

  /** The edge has stored nothing of these reports, because no webhook gets them. */
  noteUnwanted(ids: string[]): void {
    for (const probe of this.#probes.values()) if (ids.includes(probe.id)) probe.isUnwanted = true
  }

  endChunk({ kind }: Pick<HistoryChunk, 'kind'>): void {
    this.#probes.delete(kind)
  }
}

/** Not cut any more: each record is within the limits of an event. */
function divide(fresh: NewMessage[]): NewMessage[][] {
  const parts: NewMessage[][] = []
  let bytes = MAX_EVENT_BYTES
  for (const one of fresh) {
    const size = Buffer.byteLength(one.json)
    if (bytes + size > MAX_EVENT_BYTES) {
      parts.push([])
      bytes = 0
    }
    bytes += size
    parts.at(-1)?.push(one)
  }
  return parts
}

function describePart(about: Pick<HistoryChunk, 'progress' | 'chunk'>, part: NewMessage[]): NewEvent {
  const chats = new Map(
    part.map(({ row: { record }, name }) => [
      record.chatid,
      { id: record.chatid, lid: record.chatlid, name, isGroup: record.isGroup },
    ]),
  )
  const messages = part.map(({ row }) => row.record)
  const payload: HistoryPayload = { event: { ...about, chats: [...chats.values()], messages } }
  return { type: 'history', payload: { ...payload } }
}
