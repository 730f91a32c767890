// Writes an event in the form of its receiver. An event that the form cannot write must not stop those behind it.

import type { EventSource } from '../dialect/event-format.ts'
import { log } from '../observability/edge-log.ts'
import type { Env } from '../settings/env.ts'
import { isStorageError } from '../store/database/storage-error.ts'

/** Undefined, and logged, if the code of the form threw. What the database threw is no fault of the event, and is thrown. */
export async function tryToWrite<Written>(
  env: Env,
  { instanceId: instance, id, seq }: Pick<EventSource, 'instanceId' | 'id' | 'seq'>,
  write: () => Written | Promise<Written>,
): Promise<Written | undefined> {
  try {
    return await write()
  } catch (error) {
    if (isStorageError(error)) throw error
    log(env, 'error', 'failed to write event in its form', { instance, event: id, seq, error })
    return undefined
  }
}
