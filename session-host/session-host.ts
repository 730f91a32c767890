// Builds a session host from its parts: the store, the driver, the sessions, and the link to the edge.

import { join } from 'node:path'
import { DAY, SECOND } from '@msgnet/shared/date-time.ts'
import { NETWORK_LOG_FOLDER } from '@msgnet/shared/network-log-lines.ts'
import { createNodeGcm } from '@msgnet/shared/node/gcm.ts'
import { onTimeMoved } from '@msgnet/shared/node/laboratory-time.ts'
import { hashSha256 } from '@msgnet/shared/random-tokens.ts'
import { createSealer, type Purpose } from '@msgnet/shared/seal.ts'
import { ActRunner } from './actions/act-runner.ts'
import { ActTurns } from './actions/act-turns.ts'
import { DueSends } from './actions/due-sends.ts'
import { Transfers } from './actions/file-transfers.ts'
import { ImportTurns } from './actions/import-turns.ts'
import { findPreview } from './actions/outgoing-files.ts'
import { SendPace } from './actions/send-pace.ts'
import { UnknownOutcomes } from './actions/unknown-outcomes.ts'
import { CanaryMetrics } from './canary/canary-metrics.ts'
import { startCanary } from './canary/run-canary.ts'
import { CanaryWatch } from './canary/watched-driver.ts'
import { type Config, getEdgeUrl } from './config.ts'
import { createBaileysDriver } from './driver/baileys/baileys-driver.ts'
import { isProtocolWord } from './driver/baileys/connection/protocol-log.ts'
import type { Driver } from './driver/driver.ts'
import { IntakeTurns } from './driver/intake-turns.ts'
import { KeyCosts } from './driver/key-costs.ts'
import { EdgeLink } from './link/edge-link.ts'
import { DownloadTurns } from './media/download-turns.ts'
import { Ffmpeg } from './media/ffmpeg.ts'
import { MediaJobs } from './media/media-jobs.ts'
import { MediaKeeper } from './media-keeper/media-keeper.ts'
import { MediaMetrics } from './media-keeper/media-metrics.ts'
import { type Health, listenForMetrics, Metrics } from './metrics/host-metrics.ts'
import { registerTurns } from './metrics/turn-metrics.ts'
import { NetworkLog } from './network-log/network-log-writer.ts'
import type { Log } from './process/host-log.ts'
import { Lease } from './process/lease.ts'
import { type Clock, machineClock } from './process/machine-clock.ts'
import { Outbox } from './reports/outbox.ts'
import { PresenceBuffer } from './reports/presence-buffer.ts'
import { ScheduledFiles } from './scheduled/scheduled-files.ts'
import { ScheduledMetrics } from './scheduled/scheduled-metrics.ts'
import { ScheduledQueue } from './scheduled/scheduled-queue.ts'
import { startCoverageWrites } from './sessions/coverage-writes.ts'
import { Sessions } from './sessions/host-sessions.ts'
import { LoginTurns } from './sessions/login-turns.ts'
import { Journal, markInterruptedActs } from './store/act-journal.ts'
import { CredentialReplacement, createCredentialStore, deleteTornImports } from './store/credential-store.ts'
import { FencedStore } from './store/fenced-store.ts'
import { countGaps } from './store/gap-store.ts'
import { findGroup } from './store/group-store.ts'
import { moveAllHeld } from './store/held-report-store.ts'
import { openStore, type Store } from './store/host-store.ts'
import { endWaitingMedia } from './store/media-rows.ts'
import { startIndexing } from './store/message-index.ts'
import { findEncoded } from './store/message-store.ts'
import { startRetention } from './store/retention-schedule.ts'
import { deleteOrphanedFiles } from './store/scheduled-store.ts'
import { openSharedStore } from './store/shared-store.ts'
import { MediaBucket } from './stored-media/media-bucket.ts'
import { MediaFolder } from './stored-media/media-store.ts'
import { StoredMedia } from './stored-media/stored-media.ts'

const DRAIN_MS = 5 * SECOND

export type Host = Awaited<ReturnType<typeof startHost>>

export async function startHost(config: Config, log: Log, clock: Clock = machineClock) {
  const base = await openBase(config, log, clock)
  const { lease, disk, store, metrics } = base
  const networkLog = config.networkLog && (await createProtocolLog(base, config.networkLog))
  const unwatched = await createDriver(base, networkLog)
  const canaryWatch = config.canary && new CanaryWatch(unwatched, config.canary.instances)
  const driver = canaryWatch?.driver ?? unwatched
  await markInterruptedActs(disk, store.holder)
  const storedMedia = await openStoredMedia(base, driver)
  const { sessions, acts, stopActs } = await openSessions(base, driver, storedMedia)
  const keeper = startKeeper(base, sessions, storedMedia)
  const stopCoverageWrites = startCoverageWrites({ store, sessions, clock, log })
  const link = openLink(base, sessions, acts)
  registerReadings(base, { sessions, link, keeper })
  const listener = await listenForMetrics(base, () => describeHealth(base, sessions, link), {
    port: config.metricsPort,
    address: config.address,
  })
  const { messageRetentionDays: days, keepExpired = false, media } = config
  const kept = { days, mediaDays: media.retentionDays, keepExpired }
  const retention = startRetention(store, kept, log)
  const indexing = startIndexing(store, log)
  const canaryMetrics = new CanaryMetrics(metrics.registry, () => canaryWatch?.listConnections() ?? [])
  const stopCanary =
    canaryWatch && config.canary
      ? startCanary({ ...config.canary, watch: canaryWatch, metrics: canaryMetrics, clock, log })
      : () => undefined
  log.info({ metricsPort: listener.port, sessions: sessions.listSessions().length }, 'host started')

  async function shutDown(): Promise<void> {
    stopCanary()
    stopCoverageWrites()
    const cleanedUp = Promise.all([retention.stop(), indexing.stop()])
    link.announceStop()
    await stopActs()
    await keeper.stop()
    if (store.shared) await link.offerSessions()
    // The sessions that no other host can take over, and those that were connected meanwhile.
    await sessions.stopAll()
    await link.drainOutbox(DRAIN_MS)
    link.close()
    lease.stop()
    listener.close()
    await cleanedUp
    await networkLog?.close()
    await store.close()
  }

  let stopped: Promise<void> | undefined
  return {
    metricsPort: listener.port,
    /** Resolves when its link to the edge was up for the first time. */
    linked: link.firstLinked,
    /** Takes no more acts, closes the sockets without logging out, offers the sessions to hosts that share the store, drains the outbox. */
    stop(): Promise<void> {
      stopped ??= shutDown()
      return stopped
    },
  }
}

/** What every other part needs. */
async function openBase(config: Config, log: Log, clock: Clock) {
  const lease = new Lease(clock)
  const disk = await openHostStore(config, log)
  // Hosts that share a store have different tokens; in a store of our own there is no other host.
  const holder = disk.shared ? await hashSha256(`holder of ${config.hostToken}`) : ''
  const store = new FencedStore(disk, lease, holder)
  const metrics = new Metrics()
  const outbox = new Outbox(store, log)
  const presence = new PresenceBuffer(clock)
  const pace = new SendPace(config.sendRate, clock)
  const mediaJobs = new MediaJobs(log, config.ffmpeg === undefined ? undefined : new Ffmpeg(config.ffmpeg))
  const downloads = new DownloadTurns(config.downloadBytesPerMinute)
  const imports = new ImportTurns()
  const actTurns = new ActTurns()
  const logins = new LoginTurns(clock)
  const intakeTurns = new IntakeTurns()
  const keyCosts = new KeyCosts()
  const createHostSealer = (purpose: Extract<Purpose, `host/${string}`>) =>
    createSealer(config.sealKeys, purpose, createNodeGcm)
  return {
    config,
    log,
    clock,
    lease,
    disk,
    store,
    metrics,
    outbox,
    presence,
    pace,
    mediaJobs,
    downloads,
    imports,
    actTurns,
    logins,
    intakeTurns,
    keyCosts,
    createHostSealer,
  }
}

type Base = Awaited<ReturnType<typeof openBase>>

async function createProtocolLog({ config, log, createHostSealer }: Base, instances: 'on' | string[]) {
  return new NetworkLog({
    folder: join(config.dataDir, ...NETWORK_LOG_FOLDER),
    instances,
    sealer: await createHostSealer('host/network-log'),
    isWord: isProtocolWord,
    log,
  })
}

async function createDriver(
  { config, log, clock, lease, store, mediaJobs, intakeTurns, keyCosts, createHostSealer }: Base,
  networkLog: NetworkLog | undefined,
): Promise<Driver> {
  const { url, rootKey, mediaCa, version } = config.network
  return createBaileysDriver({
    ...(networkLog && { networkLog }),
    url,
    ...(rootKey && { rootKey }),
    ...(mediaCa !== undefined && { mediaCa }),
    ...(version && { version }),
    ...(config.device && { device: config.device }),
    actionTimeoutMs: config.actionTimeoutMs,
    localProxies: config.localProxies,
    dmAddressing: config.dmAddressing,
    credentials: createCredentialStore(store, await createHostSealer('host/credential'), log),
    findStoredMessage: (instance, messageid, place) => findEncoded(store, instance, messageid, place),
    findGroup: (instance, jid) => findGroup(store, instance, jid),
    getPendingWrites: (instance) => store.flushBeforeFrame(instance),
    drawPreview: (instance, path, deadline) => findPreview(mediaJobs, { instance, path, deadline }),
    intakeTurns,
    keyCosts,
    clock,
    lease,
    log,
  })
}

async function openStoredMedia(base: Base, driver: Driver): Promise<StoredMedia> {
  const { config, log, disk, store, createHostSealer } = base
  const { media, dataDir } = config
  // An earlier start of this host may have waited for files.
  if (!media.isOn) await disk.commit([...moveAllHeld(store.holder), endWaitingMedia(store.holder)])
  const folder = new MediaFolder(dataDir)
  return new StoredMedia({
    isOn: media.isOn,
    store,
    folder,
    files: media.bucket ? new MediaBucket(media.bucket) : folder,
    sealer: await createHostSealer('host/media'),
    maxFileBytes: media.maxFileBytes,
    driver,
    log,
  })
}

function startKeeper(base: Base, sessions: Sessions, media: StoredMedia) {
  const { config, log, clock, store } = base
  const metrics = new MediaMetrics(base.metrics.registry, store)
  return new MediaKeeper({
    media,
    sessions,
    dataDir: config.dataDir,
    totalBytes: config.media.totalBytes,
    strangersBytesPerHour: config.media.strangersBytesPerHour,
    minFreeBytes: config.media.minFreeBytes,
    metrics,
    clock,
    log,
  })
}

async function openScheduled({ disk, store, createHostSealer }: Base): Promise<ScheduledQueue> {
  // An earlier start may have ended while a file arrived.
  await disk.commit([deleteOrphanedFiles(store.holder)])
  const sealer = await createHostSealer('host/scheduled-file')
  return new ScheduledQueue(store, new ScheduledFiles(store, sealer))
}

async function openSessions(base: Base, driver: Driver, storedMedia: StoredMedia) {
  const { config, log, clock, lease, store, metrics, outbox, pace, presence, mediaJobs, downloads } = base
  const { imports, actTurns, logins } = base
  const sealer = await base.createHostSealer('host/proxy')
  const keySealer = await base.createHostSealer('host/credential')
  const scheduled = await openScheduled(base)
  // An earlier start may have ended while a credential arrived.
  await base.disk.commit([deleteTornImports(store.holder)])
  const journal = new Journal(store)
  const unknownOutcomes = await UnknownOutcomes.open(journal, log)
  const sessions = await Sessions.open(
    {
      store,
      clock,
      lease,
      outbox,
      presence,
      driver,
      storedMedia,
      logins,
      scheduled,
      sealer,
      replaceKeys: (instance, keys) => new CredentialReplacement(keySealer, instance, keys),
      resolveFromRecord: (record) => unknownOutcomes.resolveFromRecord(record),
      loadTrackedActs: (instance) => unknownOutcomes.loadTrackedActs(instance),
      metrics,
      log,
    },
    config.slots,
  )
  const transfers = new Transfers(getEdgeUrl(config), config.hostToken, log)
  const shared = { sessions, pace, lease, transfers, mediaJobs, downloads, imports, log }
  const acts = new ActRunner({ ...shared, turns: actTurns, journal, unknownOutcomes, metrics })
  lease.onEnd(() => {
    log.warn('lease ended: every session is closed')
    void sessions.suspendAll()
  })
  const dueSends = new DueSends({
    ...shared,
    scheduled,
    acts,
    metrics: new ScheduledMetrics(metrics.registry, store),
    clock,
  })
  onTimeMoved(async () => dueSends.wake())
  async function stopActs(): Promise<void> {
    dueSends.stop()
    await acts.stop()
    mediaJobs.stop()
  }
  return { sessions, acts, stopActs }
}

function openLink(
  { config, log, clock, lease, disk, metrics, outbox, presence }: Base,
  sessions: Sessions,
  acts: ActRunner,
) {
  return new EdgeLink({
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
    presence,
    metrics,
    log,
  })
}

interface Running {
  sessions: Sessions
  link: EdgeLink
  keeper: MediaKeeper
}

function registerReadings(base: Base, { sessions, link, keeper }: Running): void {
  const { config, lease, disk, store, metrics, outbox, mediaJobs, downloads } = base
  const { imports, logins, intakeTurns, keyCosts, actTurns } = base
  metrics.registerReadings({
    listSessions: () => sessions.listSessions(),
    countOutbox: () => outbox.countWaiting(),
    findOldestReport: () => outbox.findOldest(),
    countGaps: () => countGaps(store, store.holder, Date.now() - DAY),
    isLinked: () => link.up,
    isLeased: () => lease.runs,
    isStoreFailing: () => store.fault !== undefined,
    written: store.writeStats,
  })
  registerTurns(metrics.registry, {
    reads: store.heavyReads.turns,
    acts: actTurns.places,
    ...mediaJobs.turns,
    downloads: downloads.files,
    imports: imports.turns,
    logins: logins.turns,
    group_keys: keyCosts.turns,
    ...intakeTurns.listWork(),
    ...keeper.turns.listWork(),
  })
  metrics.registerDataFolder(config.dataDir, { ownStore: !disk.shared })
}

const describeHealth = ({ lease, store }: Base, sessions: Sessions, link: EdgeLink): Health => ({
  status: store.fault ? 'storage_failed' : 'live',
  ...(store.fault && { reason: store.fault.message }),
  linked: link.up,
  leased: lease.runs,
  sessions: sessions.listSessions().length,
})

function openHostStore({ dataDir, sharedStore }: Config, log: Log): Promise<Store> {
  if (sharedStore) return openSharedStore(sharedStore.url, sharedStore.token)
  return openStore(join(dataDir, 'host', 'host.db'), (error) =>
    log.error({ error }, 'failed to checkpoint store'),
  )
}
