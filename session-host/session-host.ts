// Builds a session host from its parts: the store, the driver, the sessions, and the link to the edge.

import { join } from 'node:path'
import { SECOND } from '../shared/date-time.ts'
import { NETWORK_LOG_FOLDER } from '../shared/network-log-lines.ts'
import { createNodeGcm } from '../shared/node/gcm.ts'
import { hashSha256 } from '../shared/random-tokens.ts'
import { createSealer, type Purpose } from '../shared/seal.ts'
import { deriveHostSealKeys } from '../shared/seal-keys.ts'
import { createActRunner } from './actions/act-runner.ts'
import { createTransfers } from './actions/file-transfers.ts'
import { createUnknownOutcomes } from './actions/unknown-outcomes.ts'
import { createCanaryMetrics } from './canary/canary-metrics.ts'
import { startCanary } from './canary/run-canary.ts'
import { watchDriver } from './canary/watched-driver.ts'
import { type Config, getEdgeUrl } from './config.ts'
import { createBaileysDriver } from './driver/baileys/baileys-driver.ts'
import { isProtocolWord } from './driver/baileys/connection/protocol-log.ts'
import type { Log } from './host-log.ts'
import { createMetrics, listenForMetrics } from './host-metrics.ts'
import { createLease } from './lease.ts'
import { openLink } from './link/edge-link.ts'
import { type Clock, machineClock } from './machine-clock.ts'
import { NetworkLog } from './network-log/network-log-writer.ts'
import { openOutbox } from './outbox.ts'
import { registerDataFolderMetrics } from './register-data-folder.ts'
import { Sessions } from './sessions/host-sessions.ts'
import { createJournal, markInterruptedActs } from './store/act-journal.ts'
import { createCredentialStore } from './store/credential-store.ts'
import { createFencedStore } from './store/fenced-store.ts'
import { findGroup } from './store/group-store.ts'
import { openStore, type Store } from './store/host-store.ts'
import { findEncoded } from './store/message-store.ts'
import { startRetention } from './store/retention-schedule.ts'
import { openSharedStore } from './store/shared-store.ts'

const DRAIN_MS = 5 * SECOND

export interface Host {
  metricsPort: number
  /** Resolves when its link to the edge was up for the first time. */
  linked: Promise<void>
  /** Takes no more acts, closes the sockets without logging out, offers the sessions to hosts that share the store, empties the outbox. */
  stop(): Promise<void>
}

export async function startHost(config: Config, log: Log, clock: Clock = machineClock): Promise<Host> {
  const lease = createLease(clock)
  const disk = await openHostStore(config, log)
  // Hosts that share a store have different tokens; in a store of our own there is no other host.
  const holder = disk.shared ? await hashSha256(`holder of ${config.hostToken}`) : ''
  const store = createFencedStore(disk, lease, holder)
  const metrics = createMetrics()
  const outbox = openOutbox(store, log, metrics)
  const sealerFor = await createSealerFactory(config, log)
  const networkLog =
    config.networkLog &&
    new NetworkLog({
      folder: join(config.dataDir, ...NETWORK_LOG_FOLDER),
      instances: config.networkLog,
      sealer: await sealerFor('host/network-log'),
      isWord: isProtocolWord,
      log,
    })
  const unwatched = createBaileysDriver({
    ...(networkLog && { networkLog }),
    url: config.network.url,
    ...(config.network.rootKey && { rootKey: config.network.rootKey }),
    ...(config.network.mediaCa !== undefined && { mediaCa: config.network.mediaCa }),
    ...(config.network.version && { version: config.network.version }),
    ...(config.device && { device: config.device }),
    actionTimeoutMs: config.actionTimeoutMs,
    localProxies: config.localProxies,
    dmAddressing: config.dmAddressing,
    credentials: createCredentialStore(store, await sealerFor('host/credential'), log),
    findStoredMessage: (instance, messageid, place) => findEncoded(store, instance, messageid, place),
    findGroup: (instance, jid) => findGroup(store, instance, jid),
    getPendingWrites: (instance) => store.flushBeforeFrame(instance),
    clock,
    lease,
    log,
  })
  const watching = config.canary && watchDriver(unwatched, config.canary.instances)
  const driver = watching?.driver ?? unwatched
  await markInterruptedActs(disk, holder)
  const journal = createJournal(store)
  const unknownOutcomes = await createUnknownOutcomes(journal, log)
  const { resolveFromRecord, loadTrackedActs } = unknownOutcomes
  const sealer = await sealerFor('host/proxy')
  const deps = {
    store,
    clock,
    lease,
    outbox,
    driver,
    sealer,
    resolveFromRecord,
    loadTrackedActs,
    metrics,
    log,
  }
  const sessions = await Sessions.open(deps, config.slots)
  const acts = createActRunner({
    sessions,
    lease,
    journal,
    unknownOutcomes,
    metrics,
    log,
    transfers: createTransfers(getEdgeUrl(config), config.hostToken, log),
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
    void sessions.suspendAll()
  })
  metrics.registerReadings({
    listSessions: () => sessions.listSessions(),
    countOutbox: outbox.countWaiting,
    findOldestReport: outbox.findOldest,
    isLinked: () => link.up,
    isLeased: () => lease.runs,
    written: store.writeStats,
  })
  registerDataFolderMetrics(metrics.registry, config.dataDir, { ownStore: !disk.shared })
  const listener = await listenForMetrics(
    metrics,
    () => ({
      status: store.fault ? 'storage_failed' : 'live',
      ...(store.fault && { reason: store.fault.message }),
      linked: link.up,
      leased: lease.runs,
      sessions: sessions.listSessions().length,
    }),
    { port: config.metricsPort, address: config.address },
  )
  const retention = startRetention(store, config.messageRetentionDays, log)
  const canaryMetrics = createCanaryMetrics(metrics.registry, () => watching?.listConnections() ?? [])
  const stopCanary =
    watching && config.canary
      ? startCanary({ ...config.canary, watching, metrics: canaryMetrics, clock, log })
      : () => undefined
  log.info({ metricsPort: listener.port, sessions: sessions.listSessions().length }, 'the host has started')

  async function shutDown(): Promise<void> {
    stopCanary()
    const retentionStopped = retention.stop()
    link.announceStop()
    await acts.stop()
    if (store.shared) await link.offerSessions()
    // The sessions that no other host can take over, and those that were connected meanwhile.
    await sessions.stopAll()
    await link.drainOutbox(DRAIN_MS)
    link.close()
    lease.stop()
    listener.close()
    await retentionStopped
    await networkLog?.close()
    await store.close()
  }

  let stopped: Promise<void> | undefined
  return {
    metricsPort: listener.port,
    linked: link.firstLinked,
    stop() {
      stopped ??= shutDown()
      return stopped
    },
  }
}

/** A host with SEAL_KEYS, which all hosts of earlier versions had, opens values with them that were sealed then. */
async function createSealerFactory({ sealKeys, previousSealKeys = '' }: Config, log: Log) {
  if (previousSealKeys)
    log.warn(
      'this host holds SEAL_KEYS, which open what the edge has sealed: give it HOST_SEAL_KEYS of its own',
    )
  const keys = await deriveHostSealKeys(sealKeys, previousSealKeys)
  const options = { previousKeys: previousSealKeys, createGcm: createNodeGcm }
  return (purpose: Extract<Purpose, `host/${string}`>) => createSealer(keys, purpose, options)
}

function openHostStore({ dataDir, sharedStore }: Config, log: Log): Promise<Store> {
  if (sharedStore) return openSharedStore(sharedStore.url, sharedStore.token)
  return openStore(join(dataDir, 'host', 'host.db'), (error) =>
    log.error({ err: error }, 'a checkpoint of the store failed'),
  )
}
