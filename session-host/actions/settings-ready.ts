// Whether this device can change what the account's devices have in common.

import { refused } from '../../shared/wire/outcome.ts'
import type { Connection } from '../driver/driver.ts'

/** Undefined when it can; the refusal when it cannot, before the network was asked for anything. */
export async function settingsReady(network: Connection, deadline: AbortSignal) {
  const ready = await network.settings.ready(deadline)
  if (ready.kind === 'done') return undefined
  return refused('session_conflict', 'The phone has not given this device the keys of its settings yet.')
}
