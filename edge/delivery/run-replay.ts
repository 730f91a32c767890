// Runs a replay for a caller: counts the events that match, and makes the first ones due again.

import { limits } from '../../shared/contract/limits.ts'
import type { ReplayRequest } from '../../shared/contract/replay-request.ts'
import type { Redriven } from '../../shared/contract/responses/event-responses.ts'
import type { FaultName } from '../../shared/fault-table.ts'
import { log } from '../edge-log.ts'
import type { Env } from '../env.ts'
import { openStore } from '../store/database/open-store.ts'
import { isStorageError } from '../store/database/storage-error.ts'
import { countSelected, makeDueAgain } from '../store/events/replay-queries.ts'

/** Errors lose their class between an object and the request, so they are returned as values. */
export async function runReplay(
  env: Env,
  instanceId: string,
  { dryRun, ...selection }: ReplayRequest,
): Promise<Redriven | { refused: FaultName }> {
  try {
    const store = openStore(env)
    const matched = await countSelected(store, instanceId, selection)
    if (dryRun || matched === 0) return { matched, queued: 0 }
    return { matched, queued: await makeDueAgain(store, instanceId, selection, limits.maxReplayedEvents) }
  } catch (error) {
    log(env, 'error', 'failed to replay events', { instance: instanceId, error })
    return { refused: isStorageError(error) ? 'storage_unavailable' : 'internal' }
  }
}
