// Presence on its way to the edge: the last state of each person counts, a state a second at most, and nothing is stored or repeated.

import type { PresenceItem } from '@msgnet/shared/contract/presence-event.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { MAX_PRESENCE_PER_FRAME } from '@msgnet/shared/wire/link-frames.ts'
import type { Cancel, Clock } from '../process/machine-clock.ts'

/** Between two states of one person in one chat. */
const SPACING_MS = SECOND
/** Between two frames: with their size this bounds what a host sends to 400 states a second. */
const FRAME_MS = SECOND / 4
/** A state that has waited longer, for a link or for its turn, is worth nothing. */
const MAX_AGE_MS = 30 * SECOND
/** People in chats, over all instances; the one that has waited longest is dropped. */
const MAX_ENTRIES = 10_000

interface Entry {
  /** The state that waits; undefined if it was sent. */
  item: PresenceItem | undefined
  sentAt: number
}

export class PresenceBuffer {
  readonly #clock: Clock
  readonly #entries = new Map<string, Entry>()
  #send: ((items: PresenceItem[]) => void) | undefined
  #cancelFlush: Cancel | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Replaces the state of the same person in the same chat that still waits. */
  add(item: PresenceItem): void {
    const { instance, event } = item
    const key = `${instance} ${event.number} ${event.Sender}`
    const entry = this.#entries.get(key)
    if (entry) entry.item = item
    else this.#entries.set(key, { item, sentAt: Number.NEGATIVE_INFINITY })
    const [oldest] = this.#entries.keys()
    if (this.#entries.size > MAX_ENTRIES && oldest !== undefined) this.#entries.delete(oldest)
    this.#scheduleFlush(0)
  }

  /** The link is up, and its edge takes presence. */
  open(send: (items: PresenceItem[]) => void): void {
    this.#send = send
    this.#scheduleFlush(0)
  }

  close(): void {
    this.#send = undefined
    this.#cancelFlush?.()
    this.#cancelFlush = undefined
  }

  #scheduleFlush(ms: number): void {
    if (!this.#send || this.#cancelFlush || this.#entries.size === 0) return
    this.#cancelFlush = this.#clock.runAfter(ms, () => {
      this.#flush()
      this.#cancelFlush = undefined
      this.#scheduleFlush(FRAME_MS)
    })
  }

  #flush(): void {
    const now = this.#clock.now()
    const oldest = Date.now() - MAX_AGE_MS
    const items: PresenceItem[] = []
    for (const [key, { item, sentAt }] of [...this.#entries]) {
      const waits = now - sentAt < SPACING_MS
      if (!item || item.at < oldest) {
        if (!waits) this.#entries.delete(key)
        continue
      }
      if (waits || items.length === MAX_PRESENCE_PER_FRAME) continue
      items.push(item)
      // At the end, so that every entry has its turn.
      this.#entries.delete(key)
      this.#entries.set(key, { item: undefined, sentAt: now })
    }
    if (items.length > 0) this.#send?.(items)
  }
}
