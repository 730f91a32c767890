// Apart from its callers, because both must treat a failing link object alike.

import { createUnknownOutcome } from '@msgnet/shared/wire/outcome.ts'
import type { ActOutcome } from '../objects/objects.ts'
import { log } from '../observability/edge-log.ts'
import type { Env } from '../settings/env.ts'

/** If a link object fails, it is not known whether it has sent the act. */
export async function callLink(env: Env, request: () => Promise<ActOutcome>): Promise<ActOutcome> {
  try {
    return await request()
  } catch (error) {
    log(env, 'error', 'failed to call link object', { error })
    return createUnknownOutcome()
  }
}
