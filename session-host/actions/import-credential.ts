// Takes over the credential of another program: its lines are read and checked, and stored in one commit.

import { MIB } from '@msgnet/shared/contract/limits.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import {
  FairTurns,
  type TurnRefusalReason,
  TurnRefused,
  type FairTurns as Turns,
} from '@msgnet/shared/fair-turns.ts'
import {
  createDoneOutcome,
  createRefusal,
  type Outcome,
  type RefusedOutcome,
} from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput, ActionResult } from '@msgnet/shared/wire/session-actions.ts'
import type { ActionContext } from './action.ts'
import { ImportRefused, readImport } from './read-import.ts'

/** Each has its rows in memory, up to two times `limits.maxImportBytes`. */
const IMPORTS = {
  maxUnderWay: 2,
  maxUnderWayOfOne: 1,
  maxWaiting: 16,
  maxWaitingOfOne: 1,
  costPerMinute: 32 * MIB,
  maxSavedCost: 128 * MIB,
}
const MAX_WAIT_MS = 20 * SECOND

const refusals: Record<TurnRefusalReason, string> = {
  waiting: 'Too many imports are under way.',
  cost: 'The imports of this instance have taken all the bytes of this minute.',
  time: 'Other imports took all the time there was.',
}

const torn = createRefusal('invalid_body', 'The body ended before its last line.')

/** In bytes. */
export const createImportTurns = (): Turns => new FairTurns(IMPORTS)

type Result = Outcome<ActionResult<'session.import'>>

export async function importCredential(
  context: ActionContext,
  { parcel }: ActionInput<'session.import'>,
): Promise<Result> {
  const { session, imports, deadline } = context
  const conflict = await session.findImportConflict()
  if (conflict) return conflict
  const turn = await imports
    .takeTurn(session.instance, AbortSignal.any([deadline, AbortSignal.timeout(MAX_WAIT_MS)]))
    .catch(toRefusal)
  if ('kind' in turn) return turn
  try {
    return await readAndStore(context, parcel, (bytes) => turn.charge(bytes))
  } finally {
    turn.end()
  }
}

function toRefusal(error: unknown): RefusedOutcome {
  if (!(error instanceof TurnRefused)) throw error
  return { ...createRefusal('quota_reached', refusals[error.reason]), waitMs: error.waitMs }
}

async function readAndStore(
  { session, transfers, deadline, log }: ActionContext,
  parcel: string,
  onBytes: (bytes: number) => void,
): Promise<Result> {
  const body = await transfers.streamFile(parcel, deadline)
  if (!body) return torn
  const read = await readImport(body, (account) => session.beginImport(account), onBytes).catch((error) => {
    if (error instanceof ImportRefused) return error.outcome
    // What breaks off is the transfer: its caller has gone, or is refused by the edge.
    log.warn({ error }, 'failed to read import')
    return torn
  })
  if ('kind' in read) return read
  const { credential, rows, kinds } = read
  const stored = await session.import(credential)
  if (stored.kind !== 'done') return stored
  const imported = { account: credential.account.jid, rows, kinds }
  return createDoneOutcome({ state: stored.result, imported })
}
