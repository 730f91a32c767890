// The driver that uses the baileys library: loads the keys of an instance and opens its socket. Only this folder imports the library.

import type { Agent } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import type { HistoryMode } from '@msgnet/shared/contract/history.ts'
import { DAY, SECOND } from '@msgnet/shared/date-time.ts'
import { defaultDevice } from '@msgnet/shared/device-settings.ts'
import { STATUS_JID } from '@msgnet/shared/jid.ts'
import makeWASocket, {
  type BinaryNode,
  DEFAULT_CONNECTION_CONFIG,
  jidDecode,
  type proto,
  type UserFacingSocketConfig,
  type WAMessageKey,
  type WASocket,
  type WAVersion,
} from 'baileys'
import type { NetworkLog, SocketLog } from '../../network-log/network-log-writer.ts'
import type { Log } from '../../process/host-log.ts'
import type { Lease } from '../../process/lease.ts'
import type { Clock } from '../../process/machine-clock.ts'
import { CachedCredentials } from '../../store/cached-credentials.ts'
import type { CredentialStore } from '../../store/credential-store.ts'
import type { DmAddressing } from '../dm-addressing.ts'
import type { ConnectOptions, Driver, FindGroup, FindStoredMessage, StoredFile } from '../driver.ts'
import { Effect } from '../effect.ts'
import { IntakeTurns } from '../intake-turns.ts'
import type { KeyCosts } from '../key-costs.ts'
import { findKnownIds } from './account-lookup.ts'
import { AnnouncedVersion, type VersionSetting } from './connection/announced-version.ts'
import { BaileysConnection } from './connection/connection.ts'
import { type DeviceLabel, toBrowser } from './connection/device-label.ts'
import { announceEffectFrame, trackEffectFrames } from './connection/effect-frames.ts'
import {
  dropFramesWithoutLease,
  ignoreUnpairedLogin,
  sendAfterDeferredWrites,
} from './connection/frame-guards.ts'
import { type InstanceCaches, LastingCaches } from './connection/lasting-caches.ts'
import { createLibraryLog } from './connection/library-log.ts'
import { KEEP_ALIVE_MS } from './connection/liveness.ts'
import { createSentLogger, logFrames } from './connection/protocol-log.ts'
import { prepareProxyAgents, rejectingDispatcher } from './connection/proxy-agents.ts'
import { StanzaTurns } from './connection/stanza-turns.ts'
import { toGroupMetadata } from './groups/group-conversion.ts'
import { createHistoryTurns } from './history/history-reader.ts'
import { toGatewayJid } from './ids.ts'
import { Auth, readCreds } from './keys/auth-state.ts'
import { watchIdentities } from './keys/changed-identities.ts'
import { escapeEndedTransactions } from './keys/ended-transactions.ts'
import { ImportedRows } from './keys/imported-rows.ts'
import { COMMIT_RETRIES } from './keys/ratchets.ts'
import { addChoice } from './messages/added-choices.ts'
import { handleDeviceRetries } from './messages/device-retries.ts'
import { identifyFile } from './messages/media-transfers.ts'
import { decodeMessage, encodeMessage } from './messages/message-content.ts'
import { applyEdit } from './messages/message-edits.ts'
import { findSeal } from './messages/message-seals.ts'
import { unwrap } from './messages/message-wrappers.ts'
import { decryptVote } from './messages/poll-votes.ts'
import { openSealed } from './messages/sealed-messages.ts'
import { ReceivedMessages } from './messages/store-before-receipt.ts'
import { applyPatches } from './patches/apply-patches.ts'

/** The version of the network's program that is announced unless the settings name another, as `2.3000.N`. */
export const ownVersion = DEFAULT_CONNECTION_CONFIG.version.join('.')

export interface BaileysSettings extends SocketSettings {
  /** Replaces the real network's root key. */
  rootKey?: Buffer<ArrayBuffer>
  /** PEM: the authority for the certificates of media hosts, in place of the public ones. */
  mediaCa?: string
  credentials: CredentialStore
  clock: Clock
  /** Proxies may be on this machine or in its network. */
  localProxies?: boolean
  dmAddressing?: DmAddressing
  /** Where the frames of sockets are logged. */
  networkLog?: Pick<NetworkLog, 'open'>
  /** The announced version; the library's own by default. */
  version?: VersionSetting
  /** Shared by all sessions of the process. */
  intakeTurns?: IntakeTurns
  /** Without it, keys are not counted. */
  keyCosts?: KeyCosts
}

export function createBaileysDriver({
  rootKey,
  credentials: credentialStore,
  localProxies = false,
  dmAddressing = 'auto',
  clock,
  networkLog,
  intakeTurns = new IntakeTurns(),
  version: versionSetting,
  ...settings
}: BaileysSettings): Driver {
  const credentials = new CachedCredentials(credentialStore)
  applyPatches({ rootKey })
  const lastingCaches = new LastingCaches()
  const historyTurns = createHistoryTurns()
  const { url } = settings
  const version = new AnnouncedVersion({ version: versionSetting, url, clock, log: settings.log })

  const connect = async (options: ConnectOptions) => {
    const { instance, fresh, proxy, history = 'none' } = options
    credentials.startGeneration(instance)
    const auth = await Auth.load(credentials, instance, fresh)
    if (fresh) lastingCaches.dropCaches(instance)
    const caches = lastingCaches.getCaches(instance)
    const log = settings.log.child({ instance })
    const inbound = new ReceivedMessages(credentials, instance, auth.state, settings.findStoredMessage, log)
    await inbound.loadEarlier()
    const openAgents = prepareProxyAgents(proxy, url, { local: localProxies })
    const agents = openAgents()
    const announced = version.present
    const own = { auth, caches, inbound, socketLog: networkLog?.open(instance) }
    const parts = { ...own, announced, instance, credentials, agent: agents?.socket, history, intakeTurns }
    return new BaileysConnection({
      ...createSocket(settings, parts),
      ...own,
      options,
      classifyEnd: (closing) => version.follow(closing, announced, openAgents),
      device: settings.device ?? defaultDevice,
      dmAddressing,
      findGroup: (jid) => settings.findGroup(instance, jid),
      chargeKeys: (devices) => settings.keyCosts?.charge(instance, devices) ?? 0,
      mediaAccess: { ca: settings.mediaCa, proxy: agents },
      drawPreview: async (path, deadline) => settings.drawPreview?.(instance, path, deadline),
      historyTurns,
      clock,
      log,
    })
  }

  return {
    readCredentialState: (instance) => readCredentialState(credentials, instance),
    connect: (options) => Effect.runOutside(() => connect(options)),
    ...messageForms,
    beginImport: (account) => new ImportedRows(account),
    async deleteCredential(instance) {
      lastingCaches.dropCaches(instance)
      await credentials.deleteAll(instance)
    },
  }
}

/** What needs no connection. */
const messageForms = {
  decryptVote,
  identifyFile,
  isSealed: (encoded) => findSeal(unwrap(decodeMessage(encoded))) !== undefined,
  openSealed,
  addChoice,
  applyEdit: (original, edit) => encodeMessage(applyEdit(decodeMessage(original), decodeMessage(edit))),
} satisfies Partial<Driver>

async function readCredentialState(credentials: CachedCredentials, instance: string) {
  const creds = await readCreds(credentials, instance)
  if (!creds) return 'none'
  // `me` is set before a pairing by code is complete; `account` is signed by the phone.
  return creds.account && creds.me ? 'linked' : 'unfinished'
}

/** The maximum for a timer of Node; it is cleared when the socket ends. */
const MAX_TIMER_MS = 2 ** 31 - 1

interface SocketSettings {
  url: string
  device?: DeviceLabel
  /** The longest time of an act; the library's own queries time out later. */
  actionTimeoutMs: number
  log: Log
  findStoredMessage: FindStoredMessage
  findGroup: FindGroup
  /** Draws the preview of an image that an instance sends; without it images have none. */
  drawPreview?(instance: string, path: string, deadline: AbortSignal): Promise<StoredFile['preview']>
  /** While it does not run, no socket reads or sends anything. */
  lease: Pick<Lease, 'runs'>
  /** The writes of an instance that have to be on disk before its socket sends anything, if any. */
  getPendingWrites(instance: string): Promise<void> | undefined
}

/** The parts that belong to one instance. */
interface SocketParts {
  /** The announced version. */
  announced: WAVersion
  instance: string
  auth: Auth
  caches: InstanceCaches
  inbound: ReceivedMessages
  credentials: CredentialStore
  /** The agent of its proxy. */
  agent: Agent | undefined
  history: HistoryMode
  /** The log of its frames; undefined while that is off. */
  socketLog: SocketLog | undefined
  intakeTurns: IntakeTurns
}

function createSocket(settings: SocketSettings, parts: SocketParts) {
  const { instance, auth, caches, socketLog, intakeTurns: turns } = parts
  const { lease, getPendingWrites } = settings
  const log = settings.log.child({ instance })
  const findMessage: FindMessage = (key) => findMessageToResend(sock, key, settings, parts)
  const onWriting = () => announceEffectFrame(sock)
  const sock: WASocket = makeWASocket(buildConfig(settings, parts, { log, findMessage, onWriting }))
  const stanzas = new StanzaTurns({ sock, instance, turns, lease, log })
  escapeEndedTransactions(sock.authState.keys)
  // The library changes a list of devices by number only, and leaves the one by LID as it was.
  sock.ws.on('CB:notification,type:devices', ({ attrs }: BinaryNode) => {
    const { user } = jidDecode(attrs.lid) ?? {}
    if (user) void caches.devices.del(user)
  })
  // A write that failed before belonged to the previous socket, so its error is dropped.
  getPendingWrites(instance)?.catch(() => undefined)
  dropFramesWithoutLease(lease, sock)
  if (socketLog) logFrames(sock, socketLog)
  const isPaired = () => auth.state.creds.account !== undefined && auth.state.creds.me !== undefined
  ignoreUnpairedLogin(sock, isPaired, () => log.warn('login of unpaired device ignored'))
  const getWrites = () => getPendingWrites(instance)
  sendAfterDeferredWrites(
    sock,
    () => auth.linking?.then(getWrites) ?? getWrites(),
    (error) => auth.reportFault(error),
  )
  watchIdentities({ sock, inbound: parts.inbound, credentials: parts.credentials, instance, log })
  trackEffectFrames(sock)
  handleDeviceRetries(sock, {
    findMessage,
    retryCounts: caches.retries,
    onError: (error) => log.warn({ error }, 'failed to send message again'),
  })
  return { sock, stanzas }
}

type FindMessage = NonNullable<UserFacingSocketConfig['getMessage']>

function buildConfig(
  { url, device = defaultDevice, actionTimeoutMs, findGroup }: SocketSettings,
  { announced, instance, auth, caches, inbound, agent, history, socketLog }: SocketParts,
  { log, findMessage, onWriting }: { log: Log; findMessage: FindMessage; onWriting: () => void },
): UserFacingSocketConfig {
  return {
    waWebSocketUrl: url,
    version: announced,
    auth: auth.state,
    ...(agent && { agent: agent as HttpsAgent, options: { dispatcher: rejectingDispatcher } }),
    logger: createLibraryLog(log, onWriting, socketLog && createSentLogger(socketLog)),
    browser: toBrowser(device),
    // The library would set a timer for every frame, stack trace included, which takes longer than to encrypt it. `Liveness` detects
    // an unresponsive network.
    connectTimeoutMs: 0,
    defaultQueryTimeoutMs: Math.max(60 * SECOND, actionTimeoutMs + 15 * SECOND),
    // `PairingCodes` shows the codes after the first, because it can stop when they are of no use any more.
    qrTimeout: MAX_TIMER_MS,
    keepAliveIntervalMs: KEEP_ALIVE_MS,
    // The library would wait this long after each message that it requests again, before it reads the next one.
    retryRequestDelayMs: 0,
    markOnlineOnConnect: false,
    // What a new device asks the phone for.
    syncFullHistory: history === 'full',
    // `history/` reads the history: the library would hold all of it in memory, fetch it past the proxy, and delay all events of a
    // first connection by up to 20 s.
    shouldSyncHistoryMessage: () => false,
    generateHighQualityLinkPreview: false,
    msgRetryCounterCache: caches.retries,
    userDevicesCache: caches.devices,
    callOfferCache: caches.calls,
    placeholderResendCache: caches.requested,
    transactionOpts: COMMIT_RETRIES,
    makeSignalRepository: inbound.createRepository,
    cachedGroupMetadata: async (jid) => {
      const group = await findGroup(instance, jid)
      return group && toGroupMetadata(group)
    },
    getMessage: findMessage,
  }
}

/** The network keeps no message longer: an older one would come up as new. */
const MAX_RESEND_AGE = 30 * DAY

/** Other devices may request any id, so a message is sent again in its own chat only, and a status post only to its recipients. */
async function findMessageToResend(
  sock: WASocket,
  { id, remoteJid, participant }: WAMessageKey,
  { findStoredMessage }: SocketSettings,
  { instance, caches }: SocketParts,
): Promise<proto.IMessage | undefined> {
  if (!id || !remoteJid) return undefined
  const { pn, lid, id: chat } = await findKnownIds(sock, toGatewayJid(remoteJid))
  if (chat === STATUS_JID) {
    const requester = await findKnownIds(sock, toGatewayJid(participant))
    if (!caches.audiences.includesAny(id, [requester.pn, requester.lid])) return undefined
  }
  const place = { chats: [chat, pn, lid], author: '', fromMe: true, since: Date.now() - MAX_RESEND_AGE }
  const encoded = await findStoredMessage(instance, id, place)
  return encoded ? decodeMessage(encoded) : undefined
}
