// Replays a protocol log to the driver: opens one connection after the other to a network that plays the log back, and reports its events.

import { createBaileysDriver } from '../driver/baileys/baileys-driver.ts'
import { inventCredential } from '../driver/baileys/keys/invented-credential.ts'
import type { Closing, ConnectionEvents } from '../driver/driver.ts'
import { createSilentLog } from '../process/host-log.ts'
import { type Clock, machineClock } from '../process/machine-clock.ts'
import { createCredentialsInMemory } from '../store/credentials-in-memory.ts'

/** An event of the driver: its name, and what it was called with. */
export interface ReplayedEvent {
  event: string
  data: unknown[]
}

interface Replay {
  url: string
  rootKey: Buffer<ArrayBuffer>
  /** How many connections the log has. */
  connections: number
  /** The log begins with a login: a device that is linked already. */
  linked: boolean
  onEvent(event: ReplayedEvent): void
}

const INSTANCE = 'replay'
const ACTION_TIMEOUT_MS = 5000

export async function replayToDriver({ url, rootKey, connections, linked, onEvent }: Replay): Promise<void> {
  const credentials = createCredentialsInMemory()
  if (linked) await inventCredential(credentials, INSTANCE)
  const clock: Clock = machineClock
  const driver = createBaileysDriver({
    url,
    rootKey,
    credentials,
    clock,
    log: createSilentLog(),
    actionTimeoutMs: ACTION_TIMEOUT_MS,
    lease: { runs: true },
    getPendingWrites: () => undefined,
    findStoredMessage: async () => undefined,
    findGroup: async () => undefined,
  })
  for (let left = connections; left > 0; left -= 1) {
    const fresh = (await driver.readCredentialState(INSTANCE)) !== 'linked'
    const closed = Promise.withResolvers<Closing>()
    await driver.connect({ instance: INSTANCE, fresh, events: reportEvents(onEvent, closed.resolve) })
    await closed.promise
  }
}

/** Every event of the driver, also a new one, under its name without `on`. */
function reportEvents(onEvent: Replay['onEvent'], onClosed: (closing: Closing) => void): ConnectionEvents {
  const report =
    (event: string) =>
    async (...data: unknown[]) => {
      onEvent({ event, data })
      if (event === 'closed') onClosed(data[0] as Closing)
    }
  const toEventName = (listener: string) => listener.charAt(2).toLowerCase() + listener.slice(3)
  return new Proxy({} as ConnectionEvents, { get: (_, listener) => report(toEventName(String(listener))) })
}
