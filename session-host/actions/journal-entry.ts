// An act's journal entry: opened before the act begins, and on disk before its session sends anything to the network.

import type { Act } from '../../shared/wire/link-frames.ts'
import { createRefusal, type RefusedOutcome } from '../../shared/wire/outcome.ts'
import { crashIfArmed } from '../crash-points.ts'
import type { Journal } from '../store/act-journal.ts'
import type { DeferredWrite } from '../store/deferred-writes.ts'
import { findStoreFault } from '../store/store-fault.ts'
import { readMessageid } from './act-facts.ts'

export interface JournalEntry {
  /** Resolves when the entry is on disk, or with the refusal if it could not be written. */
  readonly written: Promise<RefusedOutcome | undefined>
  /** Whether the write of the entry has failed already. */
  readonly failed: boolean
}

/**
 * The entry of a message is deferred to the write of the message itself; any other is on disk when this resolves. Returns a refusal
 * if the store does not take it. `accept` is called once the entry is on disk.
 */
export function openEntry(
  journal: Journal,
  { id, instance, action, input }: Act,
  accept: () => void,
): Promise<JournalEntry | RefusedOutcome> {
  crashIfArmed('before-journal')
  const row = { id, instance, action, messageid: readMessageid(input) }
  // A message is written before it is sent, and its entry with it; other acts have no write of their own before their effect.
  const opening =
    row.messageid === '' ? journal.openAct(row).then(toDeferredWrite) : journal.openActDeferred(row)
  return opening.then(({ written }) => createEntry(written, accept), refuseUnavailable)
}

function createEntry(write: Promise<void>, accept: () => void): JournalEntry {
  let failed = false
  const written = write.then(
    () => {
      crashIfArmed('after-journal')
      accept()
      return undefined
    },
    (error) => {
      const why = refuseUnavailable(error)
      failed = true
      return why
    },
  )
  // A rejection is handled when the act has ended and awaits `written`.
  written.catch(() => undefined)
  return {
    written,
    get failed() {
      return failed
    },
  }
}

/** Rethrows errors that are no fault of the store. */
function refuseUnavailable(error: unknown): RefusedOutcome {
  const fault = findStoreFault(error)
  if (!fault) throw error
  return createRefusal('storage_unavailable', fault.message)
}

const toDeferredWrite = (): DeferredWrite => ({ written: Promise.resolve() })
