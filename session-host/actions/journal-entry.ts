// An act's journal entry: opened before the act begins, and on disk before its session sends anything to the network.

import type { Act } from '../../shared/wire/frames.ts'
import { type Refused, refused } from '../../shared/wire/outcome.ts'
import { crashPoint } from '../crash.ts'
import type { DeferredWrite } from '../store/deferred-writes.ts'
import { storeFaultIn } from '../store/fault.ts'
import type { Journal } from '../store/journal.ts'
import { messageidOf } from './act-facts.ts'

export interface JournalEntry {
  /** Resolves when the entry is on disk, or with the refusal if it could not be written. */
  readonly written: Promise<Refused | undefined>
  /** Whether the write of the entry has failed already. */
  readonly lost: boolean
}

/**
 * The entry of a message is deferred to the write of the message itself; any other is on disk when this resolves. Answers a refusal
 * if the store does not take it. `accept` is called once the entry is on disk.
 */
export function openEntry(
  journal: Journal,
  { id, instance, action, input }: Act,
  accept: () => void,
): Promise<JournalEntry | Refused> {
  crashPoint('before-journal')
  const row = { id, instance, action, messageid: messageidOf(input) }
  // A message is written before it is sent, and its entry with it; other acts have no write of their own before their effect.
  const opening = row.messageid === '' ? journal.open(row).then(onDisk) : journal.openDeferred(row)
  return opening.then(({ written }) => entryOf(written, accept), unavailable)
}

function entryOf(write: Promise<void>, accept: () => void): JournalEntry {
  let lost = false
  const written = write.then(
    () => {
      crashPoint('after-journal')
      accept()
      return undefined
    },
    (thrown) => {
      const why = unavailable(thrown)
      lost = true
      return why
    },
  )
  // A rejection is handled when the act has ended and awaits `written`.
  written.catch(() => undefined)
  return {
    written,
    get lost() {
      return lost
    },
  }
}

/** Rethrows errors that are no fault of the store. */
function unavailable(thrown: unknown): Refused {
  const fault = storeFaultIn(thrown)
  if (!fault) throw thrown
  return refused('storage_unavailable', fault.message)
}

const onDisk = (): DeferredWrite => ({ written: Promise.resolve() })
