// Replays a protocol log to the driver: opens one connection after the other to a network that plays the log back, and reports its events.

import { type Clock, machineClock } from '../clock.ts'
import { makeBaileysDriver } from '../driver/baileys/driver.ts'
import { inventCredential } from '../driver/baileys/keys/invented-credential.ts'
import type { Closing, ConnectionEvents } from '../driver/driver.ts'
import { silentLog } from '../log.ts'
import { makeCredentialsInMemory } from '../store/credentials-in-memory.ts'

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
  hear(event: ReplayedEvent): void
}

const INSTANCE = 'replay'
const ACTION_TIMEOUT_MS = 5000

export async function replayToDriver({ url, rootKey, connections, linked, hear }: Replay): Promise<void> {
  const credentials = makeCredentialsInMemory()
  if (linked) await inventCredential(credentials, INSTANCE)
  const clock: Clock = machineClock
  const driver = makeBaileysDriver({
    ...{ url, rootKey, credentials, clock, log: silentLog(), actionTimeoutMs: ACTION_TIMEOUT_MS },
    lease: { runs: true },
    writeFirst: () => undefined,
    findStored: async () => undefined,
    findGroup: async () => undefined,
  })
  for (let left = connections; left > 0; left -= 1) {
    const fresh = (await driver.credential(INSTANCE)) !== 'linked'
    const closed = Promise.withResolvers<Closing>()
    await driver.connect({ instance: INSTANCE, fresh, events: reportEvents(hear, closed.resolve) })
    await closed.promise
  }
}

/** Whatever the driver reports, also what is new in it. */
function reportEvents(hear: Replay['hear'], closed: (closing: Closing) => void): ConnectionEvents {
  const report =
    (event: string) =>
    async (...data: unknown[]) => {
      hear({ event, data })
      if (event === 'closed') closed(data[0] as Closing)
    }
  return new Proxy({} as ConnectionEvents, { get: (_, name) => report(String(name)) })
}
