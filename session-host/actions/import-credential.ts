// Takes over the credential of another program: its lines are read and checked, and stored whole.

import { createDoneOutcome, createRefusal, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput, ActionResult } from '@msgnet/shared/wire/session-actions.ts'
import type { ActionContext } from './action.ts'
import { ImportRefused, type ReadImport, readImport } from './read-import.ts'

const torn = createRefusal('invalid_body', 'The body ended before its last line.')

type Result = Outcome<ActionResult<'session.import'>>

export function importCredential(
  context: ActionContext,
  { parcel }: ActionInput<'session.import'>,
): Promise<Result> {
  const { session, imports, deadline } = context
  return session.runImport((ended, beginImport) =>
    imports.runImport(session.instance, AbortSignal.any([deadline, ended]), async (paced) => {
      const body = await context.transfers.streamFile(parcel, paced.signal)
      if (!body) return torn
      const pieces = paced.readPieces(body)
      return readAndStore(context, () => readImport(pieces, beginImport), ended)
    }),
  )
}

async function readAndStore(
  { session, log }: ActionContext,
  read: () => Promise<ReadImport>,
  ended: AbortSignal,
): Promise<Result> {
  const imported = await read().catch((error) => {
    if (error instanceof ImportRefused) return error.outcome
    // What breaks off is the transfer: its caller has gone, or is refused by the edge.
    log.warn({ error }, 'failed to read import')
    return torn
  })
  if ('kind' in imported) return imported
  const { credential, rows, kinds } = imported
  const stored = await session.import(credential, ended)
  if (stored.kind !== 'done') return stored
  const { jid } = credential.account
  return createDoneOutcome({ state: stored.result, imported: { account: jid, rows, kinds } })
}
