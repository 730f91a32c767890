// Builds a session host from its parts: the store, the driver, the sessions, and the link to the edge.

import { join } from 'node:path'
import { SECOND } from '../shared/clock.ts'
import { NETWORK_LOG_FOLDER } from '../shared/network-log.ts'
import { nodeGcm } from '../shared/node/gcm.ts'
import { makeSealer, type Purpose } from '../shared/seal.ts'
import { hostSealKeys } from '../shared/seal-keys.ts'
import { digest } from '../shared/tokens.ts'
import { makeActs } from './actions/acts.ts'
import { makeTransfers } from './actions/transfers.ts'
import { makeUnknownOutcomes } from './actions/unknown-outcomes.ts'
import { startCanary } from './canary/canary.ts'
import { makeCanaryMetrics } from './canary/canary-metrics.ts'
import { watchDriver } from './canary/watched-driver.ts'
import { type Clock, machineClock } from './clock.ts'
import { type Config, edgeUrlOf } from './config.ts'
import { watchDataFolder } from './data-folder.ts'
import { isProtocolWord } from './driver/baileys/connection/protocol-log.ts'
import { makeBaileysDriver } from './driver/baileys/driver.ts'
import { makeLease } from './lease.ts'
import { openLink } from './link/link.ts'
import type { Log } from './log.ts'
import { listenForMetrics, makeMetrics } from './metrics.ts'
import { makeNetworkLog } from './network-log/network-log.ts'
import { makeOutbox } from './outbox.ts'
import { makeSessions } from './sessions/sessions.ts'
import { makeCredentialStore } from './store/credentials.ts'
import { fenceStore } from './store/fencing.ts'
import { keepForgetting } from './store/forgetting.ts'
import { findGroup } from './store/groups.ts'
import { makeJournal, settleLeftOver } from './store/journal.ts'
import { findStoredIn } from './store/messages.ts'
import { openSharedStore } from './store/shared-store.ts'
import { openStore, type Store } from './store/store.ts'

const DRAIN_MS = 5 * SECOND

export interface Host {
  metricsPort: number
  /** Resolves when its link to the edge was up for the first time. */
  linked: Promise<void>
  /** Takes no more acts, closes the sockets without logging out, offers the sessions to hosts that share the store, empties the outbox. */
  stop(): Promise<void>
}

export async function startHost(config: Config, log: Log, clock: Clock = machineClock): Promise<Host> {
  const lease = makeLease(clock)
  const disk = await openDisk(config, log)
  // Hosts that share a store have different tokens; in a store of our own there is no other host.
  const holder = disk.shared ? await digest(`holder of ${config.hostToken}`) : ''
  const store = fenceStore(disk, lease, holder)
  const metrics = makeMetrics()
  const outbox = makeOutbox(store, log, metrics)
  const sealerFor = await openSeals(config, log)
  const networkLog =
    config.networkLog &&
    makeNetworkLog({
      folder: join(config.dataDir, ...NETWORK_LOG_FOLDER),
      instances: config.networkLog,
      sealer: await sealerFor('host/network-log'),
      isWord: isProtocolWord,
      log,
    })
  const bare = makeBaileysDriver({
    ...(networkLog && { networkLog }),
    url: config.network.url,
    ...(config.network.rootKey && { rootKey: config.network.rootKey }),
    ...(config.network.mediaCa !== undefined && { mediaCa: config.network.mediaCa }),
    ...(config.network.version && { version: config.network.version }),
    ...(config.device && { device: config.device }),
    actionTimeoutMs: config.actionTimeoutMs,
    localProxies: config.localProxies,
    dmAddressing: config.dmAddressing,
    credentials: makeCredentialStore(store, await sealerFor('host/credential'), log),
    findStored: (instance, messageid, place) => findStoredIn(store, instance, messageid, place),
    findGroup: (instance, jid) => findGroup(store, instance, jid),
    writeFirst: (instance) => store.beforeFrame(instance),
    clock,
    lease,
    log,
  })
  const watching = config.canary && watchDriver(bare, config.canary.instances)
  const driver = watching?.driver ?? bare
  await settleLeftOver(disk, holder)
  const journal = makeJournal(store)
  const unknownOutcomes = await makeUnknownOutcomes(journal, log)
  const { resolveFrom, inherit } = unknownOutcomes
  const sealer = await sealerFor('host/proxy')
  const deps = { store, clock, lease, outbox, driver, sealer, resolveFrom, inherit, metrics, log }
  const sessions = await makeSessions(deps, config.slots)
  const acts = makeActs({
    ...{ sessions, lease, journal, unknownOutcomes, metrics, log },
    transfers: makeTransfers(edgeUrlOf(config), config.hostToken, log),
  })
  const link = openLink({
    url: config.linkUrl,
    token: config.hostToken,
    slots: config.slots,
    boot: crypto.randomUUID(),
    store: disk.id,
    clock,
    lease,
    acts,
    sessions,
    outbox,
    metrics,
    log,
  })
  lease.onEnd(() => {
    log.warn('the edge was not heard of for almost a lease: every session is closed')
    void sessions.suspend()
  })
  metrics.watch({
    sessions: sessions.all,
    outboxDepth: outbox.depth,
    oldestReport: outbox.oldest,
    linked: () => link.up,
    leased: () => lease.runs,
    written: store.written,
  })
  watchDataFolder(metrics.registry, config.dataDir, { ownStore: !disk.shared })
  const listener = await listenForMetrics(
    metrics,
    () => ({
      status: store.fault ? 'storage_failed' : 'live',
      ...(store.fault && { reason: store.fault.message }),
      linked: link.up,
      leased: lease.runs,
      sessions: sessions.all().length,
    }),
    { port: config.metricsPort, address: config.address },
  )
  const forgetting = keepForgetting(store, config.messagesDays, log)
  const canaryMetrics = makeCanaryMetrics(metrics.registry, () => watching?.connected() ?? [])
  const endCanary =
    watching && config.canary
      ? startCanary({ ...config.canary, watching, metrics: canaryMetrics, clock, log })
      : () => undefined
  log.info({ metricsPort: listener.port, sessions: sessions.all().length }, 'the host has started')

  async function end(): Promise<void> {
    endCanary()
    const forgot = forgetting.stop()
    link.leave()
    await acts.stop()
    if (store.shared) await link.handOver()
    // The sessions that no other host can take over, and those that were connected meanwhile.
    await sessions.stop()
    await link.drain(DRAIN_MS)
    link.close()
    lease.stop()
    listener.close()
    await forgot
    await networkLog?.close()
    await store.close()
  }

  let ended: Promise<void> | undefined
  return {
    metricsPort: listener.port,
    linked: link.firstUp,
    stop() {
      ended ??= end()
      return ended
    },
  }
}

/** A host with SEAL_KEYS, which all hosts of earlier versions had, opens values with them that were sealed then. */
async function openSeals({ sealKeys, formerSealKeys = '' }: Config, log: Log) {
  if (formerSealKeys)
    log.warn(
      'this host holds SEAL_KEYS, which open what the edge has sealed: give it HOST_SEAL_KEYS of its own',
    )
  const keys = await hostSealKeys(sealKeys, formerSealKeys)
  const terms = { formerly: formerSealKeys, makeGcm: nodeGcm }
  return (purpose: Extract<Purpose, `host/${string}`>) => makeSealer(keys, purpose, terms)
}

function openDisk({ dataDir, sharedStore }: Config, log: Log): Promise<Store> {
  if (sharedStore) return openSharedStore(sharedStore.url, sharedStore.token)
  return openStore(join(dataDir, 'host', 'host.db'), (thrown) =>
    log.error({ err: thrown }, 'a checkpoint of the store failed'),
  )
}
