// Why a connection attempt got nowhere, as the answer for callers that wait for a login.

import { type Refused, refused } from '../../shared/wire/outcome.ts'
import type { Closing } from '../driver/driver.ts'
import type { Verdict } from './reconnect-policy.ts'

const notReached = refused('msgnet_unreachable')
const NO_ACCOUNT = 404
const TOO_OFTEN = 429

/** Undefined where the session's state is the answer. Callers get it at once, even if attempts continue in the background. */
export function findObstacle(
  { kind, code }: Closing,
  verdict: Verdict,
  { loggedIn }: { loggedIn: boolean },
): Refused | undefined {
  if (kind === 'pairing_refused') return refuseCode(code)
  if (loggedIn || kind === 'restart') return undefined
  if (verdict.do === 'end') return verdict.reason === 'unreachable' ? notReached : undefined
  return verdict.reason === 'bad_session' ? undefined : notReached
}

/** The network gave no pairing code. */
function refuseCode(code: number): Refused {
  if (code === NO_ACCOUNT) return refused('not_on_network')
  if (code === TOO_OFTEN) return refused('rate_limited', undefined, code)
  return refused('operation_refused', 'The network gave no pairing code.', code)
}
