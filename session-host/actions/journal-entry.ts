// An act's journal entry: opened before the act begins, and on disk before its session sends anything to the network.

import type { Act } from '@msgnet/shared/wire/link-frames.ts'
import type { RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'
import { hasOwnEffects } from '@msgnet/shared/wire/session-actions.ts'
import { crashIfArmed } from '../process/crash-points.ts'
import { findStoreFault } from '../process/store-fault.ts'
import type { Journal, OpenedAct } from '../store/act-journal.ts'
import { FencedError } from '../store/fenced-store.ts'
import { readMessageid } from './act-facts.ts'
import { refuseByStore } from './end-act.ts'

export interface JournalEntry {
  /** Resolves when the entry is on disk, or with the refusal if it could not be written. */
  readonly written: Promise<RefusedOutcome | undefined>
  /** Whether the write of the entry has failed already. */
  readonly failed: boolean
  /** Something of the act's effect is about to leave. */
  markLeft(): void
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
    row.messageid === '' ? journal.openAct(row, hasOwnEffects(action)) : journal.openActDeferred(row)
  return opening.then((opened) => createEntry(opened, accept), refuseUnavailable)
}

function createEntry(opened: OpenedAct, accept: () => void): JournalEntry {
  let failed = false
  const written = opened.written.then(
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
    markLeft: () => opened.markLeft(),
  }
}

/** Rethrows other errors than those of the store. */
function refuseUnavailable(error: unknown): RefusedOutcome {
  if (!(error instanceof FencedError) && !findStoreFault(error)) throw error
  return refuseByStore(error)
}
