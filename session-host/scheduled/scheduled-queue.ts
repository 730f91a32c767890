// What all sessions of a host share of the messages that are sent at a time: their store, their files, and who has one now.

import type { FencedStore } from '../store/fenced-store.ts'
import type { MessageName, ScheduledFiles } from './scheduled-files.ts'

export class ScheduledQueue {
  readonly store: FencedStore
  readonly files: ScheduledFiles
  /** Messages that are being sent or cancelled now: by one of both only. */
  readonly #taken = new Set<string>()
  #listener: () => void = () => undefined

  constructor(store: FencedStore, files: ScheduledFiles) {
    this.store = store
    this.files = files
  }

  /** Sets what is called when a message may be due sooner than was known. */
  onChange(listener: () => void): void {
    this.#listener = listener
  }

  announceChange(): void {
    this.#listener()
  }

  /** Whether nobody else sends or cancels the message now; then it is the caller's until `release`. */
  take(name: MessageName): boolean {
    const key = formatKey(name)
    if (this.#taken.has(key)) return false
    this.#taken.add(key)
    return true
  }

  release(name: MessageName): void {
    this.#taken.delete(formatKey(name))
  }
}

const formatKey = ({ instance, messageid }: MessageName): string => `${instance} ${messageid}`
