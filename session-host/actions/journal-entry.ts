// An act's entry in the journal: asked for before the act begins, and on disk before its session says anything to the network.

import type { Act } from '../../shared/wire/frames.ts'
import { type Refused, refused } from '../../shared/wire/outcome.ts'
import { crashPoint } from '../crash.ts'
import type { DeferredWrite } from '../store/deferred-writes.ts'
import { storeFaultIn } from '../store/fault.ts'
import type { Journal } from '../store/journal.ts'
import { messageidOf } from './act-facts.ts'

export interface JournalEntry {
  /** Fulfilled when the entry is on disk, or with the reason why it never will be. */
  readonly written: Promise<Refused | undefined>
  /** It is known by now that the entry could not be written. */
  readonly lost: boolean
}

/**
 * The entry of a message is deferred to the write of the message itself; any other is on disk when this is fulfilled. Answers a refusal
 * where the store does not take it. `accept` is called once it is on disk.
 */
export function openEntry(
  journal: Journal,
  { id, instance, action, input }: Act,
  accept: () => void,
): Promise<JournalEntry | Refused> {
  crashPoint('before-journal')
  const row = { id, instance, action, messageid: messageidOf(input) }
  // A message goes with what is written before it leaves; other acts have effects that no write comes before.
  const opening = row.messageid === '' ? journal.open(row).then(onDisk) : journal.openDeferred(row)
  return opening.then(({ written }) => entryOf(written, accept), unavailable)
}

function entryOf(onItsWay: Promise<void>, accept: () => void): JournalEntry {
  let lost = false
  const written = onItsWay.then(
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
  // It is heard when the act has ended.
  written.catch(() => undefined)
  return {
    written,
    get lost() {
      return lost
    },
  }
}

/** Throws what is no fault of the store. */
function unavailable(thrown: unknown): Refused {
  const fault = storeFaultIn(thrown)
  if (!fault) throw thrown
  return refused('storage_unavailable', fault.message)
}

const onDisk = (): DeferredWrite => ({ written: Promise.resolve() })
