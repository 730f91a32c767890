// A session host, put together: the store, the driver, the sessions on them, and the link that brings acts and takes reports.

import { join } from 'node:path'
import { SECOND } from '../shared/clock.ts'
import { makeSealer } from '../shared/seal.ts'
import { makeActs } from './actions/acts.ts'
import { makeFates } from './actions/fates.ts'
import { makeParcels } from './actions/parcels.ts'
import { type Config, edgeUrlOf } from './config.ts'
import { makeBaileysDriver } from './driver/baileys/driver.ts'
import { openLink } from './link/link.ts'
import type { Log } from './log.ts'
import { listenForMetrics, makeMetrics } from './metrics.ts'
import { makeOutbox } from './outbox.ts'
import { makeSessions } from './sessions/sessions.ts'
import { makeCredentialStore } from './store/credentials.ts'
import { findGroup } from './store/groups.ts'
import { openJournal } from './store/journal.ts'
import { findMessage } from './store/messages.ts'
import { keepForgetting } from './store/retention.ts'
import { openStore } from './store/store.ts'

/** Acts that run get this long to end before their sockets are closed under them. */
const ACTS_MS = 5 * SECOND
const DRAIN_MS = 5 * SECOND

export interface Host {
  metricsPort: number
  /** Takes no more acts, closes the sockets without logging out, and hands over what the outbox holds. */
  stop(): Promise<void>
}

export async function startHost(config: Config, log: Log): Promise<Host> {
  const store = await openStore(join(config.dataDir, 'host', 'host.db'))
  const outbox = makeOutbox(store, log)
  const metrics = makeMetrics()
  const driver = makeBaileysDriver({
    url: config.network.url,
    ...(config.network.rootKey && { rootKey: config.network.rootKey }),
    ...(config.network.mediaCa !== undefined && { mediaCa: config.network.mediaCa }),
    actionTimeoutMs: config.actionTimeoutMs,
    credentials: makeCredentialStore(store, await makeSealer(config.sealKeys), log),
    findSent: async (instance, messageid) =>
      (await findMessage(store, instance, messageid))?.wire ?? undefined,
    findGroup: (instance, jid) => findGroup(store, instance, jid),
    log,
  })
  const journal = await openJournal(store)
  const fates = await makeFates(journal, log)
  const parts = { store, outbox, driver, became: fates.became, metrics, log }
  const sessions = await makeSessions(parts, config.slots)
  const acts = makeActs({
    ...{ sessions, journal, fates, metrics, log },
    parcels: makeParcels(edgeUrlOf(config), config.hostToken, log),
  })
  const link = openLink({
    url: config.linkUrl,
    token: config.hostToken,
    slots: config.slots,
    boot: crypto.randomUUID(),
    acts,
    sessions,
    outbox,
    metrics,
    log,
  })
  metrics.watch({ sessions: sessions.all, outboxDepth: outbox.depth, linked: () => link.up })
  const listener = await listenForMetrics(
    metrics,
    () => ({
      status: store.fault ? 'storage_failed' : 'live',
      ...(store.fault && { reason: store.fault.message }),
      linked: link.up,
      sessions: sessions.all().length,
    }),
    { port: config.metricsPort, address: config.address },
  )
  const forgetting = keepForgetting(store, log)
  const stopping = new AbortController()
  const restored = sessions.restore(stopping.signal)
  log.info({ metricsPort: listener.port, sessions: sessions.all().length }, 'the host has started')

  async function end(): Promise<void> {
    stopping.abort()
    forgetting.stop()
    await within(ACTS_MS, acts.stop())
    await restored
    await sessions.stop()
    await link.drain(DRAIN_MS)
    link.close()
    listener.close()
    store.close()
  }

  let ended: Promise<void> | undefined
  return {
    metricsPort: listener.port,
    stop() {
      ended ??= end()
      return ended
    },
  }
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const limit = Promise.withResolvers<void>()
  const timer = setTimeout(limit.resolve, ms)
  await Promise.race([work, limit.promise])
  clearTimeout(timer)
}
