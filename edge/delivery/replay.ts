// Runs a replay for a caller: counts the events that match, and makes the first ones due again.

import type { Redriven } from '../../shared/contract/answers/event.ts'
import type { ReplayRequest } from '../../shared/contract/events-request.ts'
import { limits } from '../../shared/contract/version.ts'
import type { FaultName } from '../../shared/faults.ts'
import type { Env } from '../env.ts'
import { log, reasonOf } from '../log.ts'
import { openStore } from '../store/database/database.ts'
import { isStorageError } from '../store/database/storage-error.ts'
import { countSelected, makeDueAgain } from '../store/events/replay.ts'

/** Errors lose their class between an object and the request, so they are returned as values. */
export async function replay(
  env: Env,
  instanceId: string,
  { dryRun, ...selection }: ReplayRequest,
): Promise<Redriven | { refused: FaultName }> {
  try {
    const store = openStore(env)
    const matched = await countSelected(store, instanceId, selection)
    if (dryRun || matched === 0) return { matched, queued: 0 }
    return { matched, queued: await makeDueAgain(store, instanceId, selection, limits.replayEvents) }
  } catch (error) {
    log(env, 'error', 'replay failed', { instance: instanceId, reason: reasonOf(error) })
    return { refused: isStorageError(error) ? 'storage_unavailable' : 'internal' }
  }
}
