// Checks whether this device can change the settings that all devices of an account share.

import { createRefusal } from '@msgnet/shared/wire/outcome.ts'
import type { Connection } from '../driver/driver.ts'

/** Undefined if it can; else the refusal, before anything was requested from the network. */
export async function checkSettingsReady(network: Connection, deadline: AbortSignal) {
  const ready = await network.settings.waitUntilReady(deadline)
  if (ready.kind === 'done') return undefined
  return createRefusal(
    'session_conflict',
    'The phone has not given this device the keys of its settings yet.',
  )
}
