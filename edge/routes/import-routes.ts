// Passes the credential of another program on to the instance's host, as it comes.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { ImportResult } from '@msgnet/shared/contract/responses/instance-responses.ts'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { withDeadline } from '@msgnet/shared/deadline.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { dispatchAction } from '../hosts/dispatch-action.ts'
import { placeInstance } from '../hosts/placement.ts'
import { passBody } from '../http/passed-body.ts'
import type { Handlers } from '../http/serve-route.ts'
import { withUpload } from '../media/request-transfers.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { readActionTimeout } from '../settings/env.ts'
import { takesMessages } from '../store/can-send.ts'
import { describeConnection } from './session-routes.ts'

/** Beyond the time of any act: what the largest body takes at 2 Mbit/s. */
const UPLOAD_MS = 5 * MINUTE
const NOT_STORED = 'The session host ended before it had the whole body: nothing is stored.'

async function importCredential(c: Context<EdgeEnv>): Promise<ImportResult> {
  if (!takesMessages(c.var.instance))
    throw new Fault('session_conflict', 'An instance of kind calls is linked by connect only.')
  const instance = await placeInstance(c.env, c.var.store, c.var.instance)
  const { content, closed, stop } = passBody(c, limits.maxImportBytes)
  try {
    const { state, imported } = await withUpload(c, instance, content, (parcel) =>
      dispatchAction(
        c,
        instance,
        'session.import',
        { kind: instance.kind, parcel },
        { budget: readActionTimeout(c.env) + UPLOAD_MS },
      ),
    )
    return { ...(await describeConnection(c, instance, state)), imported }
  } catch (error) {
    // A host stores nothing before it has the end of the body.
    const isTorn = isGivenUp(c, error) && !stop()
    // A refusal may come before the end of the body, whose rest is then read as that of any other.
    await withDeadline(closed, SECOND, () => undefined)
    throw isTorn ? new Fault('msgnet_unreachable', NOT_STORED) : error
  }
}

/** Not only the caller's own wait has ended. */
const isGivenUp = (c: Context<EdgeEnv>, error: unknown): boolean =>
  error instanceof Fault && error.fault === 'outcome_unknown' && c.var.answerBy === undefined

export const importHandlers = {
  importCredential,
  importCredentialById: importCredential,
} satisfies Partial<Handlers>
