// Why a connection attempt got nowhere, as the answer for callers that wait for a login.

import { createRefusal, type RefusedOutcome } from '../../shared/wire/outcome.ts'
import type { Closing } from '../driver/driver.ts'
import type { Decision } from './reconnect-policy.ts'

const notReached = createRefusal('msgnet_unreachable')
const NO_ACCOUNT = 404
const TOO_OFTEN = 429

/** Undefined where the session's state is the answer. Callers get it at once, even if attempts continue in the background. */
export function findObstacle(
  { kind, code }: Closing,
  verdict: Decision,
  { loggedIn }: { loggedIn: boolean },
): RefusedOutcome | undefined {
  if (kind === 'pairing_refused') return refuseCode(code)
  if (loggedIn || kind === 'restart') return undefined
  if (verdict.do === 'end') return verdict.reason === 'unreachable' ? notReached : undefined
  return verdict.reason === 'bad_session' ? undefined : notReached
}

/** The network gave no pairing code. */
function refuseCode(code: number): RefusedOutcome {
  if (code === NO_ACCOUNT) return createRefusal('not_on_network')
  if (code === TOO_OFTEN) return createRefusal('rate_limited', undefined, code)
  return createRefusal('operation_refused', 'The network gave no pairing code.', code)
}
