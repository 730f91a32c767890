// Creates a socket of the library with the gateway's settings.

import type { Agent } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import makeWASocket, {
  type BinaryNode,
  jidDecode,
  type WAMessageKey,
  type WASocket,
  type WAVersion,
} from 'baileys'
import { SECOND } from '../../../../shared/date-time.ts'
import { defaultDevice } from '../../../../shared/device-settings.ts'
import { STATUS_JID } from '../../../../shared/jid.ts'
import type { Log } from '../../../host-log.ts'
import type { Lease } from '../../../lease.ts'
import type { SocketLog } from '../../../network-log/network-log-writer.ts'
import type { FindGroup, FindStoredMessage } from '../../driver.ts'
import { findKnownIds } from '../account-lookup.ts'
import { toGroupMetadata } from '../groups/group-conversion.ts'
import { toGatewayJid } from '../ids.ts'
import type { Auth } from '../keys/auth-state.ts'
import { leaveEndedTransactions } from '../keys/ended-transactions.ts'
import { COMMIT_RETRIES } from '../keys/ratchets.ts'
import { handleDeviceRetries } from '../messages/device-retries.ts'
import type { InboundBuffer } from '../messages/inbound-buffer.ts'
import { decodeMessage } from '../messages/message-content.ts'
import { type DeviceLabel, toBrowser } from './device-label.ts'
import { dropFramesWithoutLease, ignoreUnpairedLogin, sendAfterWrites } from './frame-guards.ts'
import type { InstanceCaches } from './lasting-caches.ts'
import { createLibraryLog } from './library-log.ts'
import { KEEP_ALIVE_MS } from './liveness.ts'
import { createSentLogger, logFrames } from './protocol-log.ts'
import { rejectingDispatcher } from './proxy-agents.ts'

/** The most that a timer of Node takes; it is cleared when the socket ends. */
const MAX_TIMER_MS = 2 ** 31 - 1

export interface SocketSettings {
  url: string
  /** The announced version; the library's own by default. */
  version?: WAVersion
  device?: DeviceLabel
  /** The longest time of an act; the library's own queries time out later. */
  actionTimeoutMs: number
  log: Log
  findStoredMessage: FindStoredMessage
  findGroup: FindGroup
  /** While it does not run, no socket reads or sends anything. */
  lease: Pick<Lease, 'runs'>
  /** The writes of an instance that have to be on disk before its socket sends anything, if any. */
  getPendingWrites(instance: string): Promise<void> | undefined
}

/** The parts that belong to one instance. */
interface SocketParts {
  instance: string
  auth: Auth
  caches: InstanceCaches
  inbound: InboundBuffer
  /** The agent of its proxy. */
  agent: Agent | undefined
  /** What of its frames is logged; undefined while that is off. */
  socketLog: SocketLog | undefined
}

export function createSocket(
  settings: SocketSettings,
  { instance, auth, caches, inbound, agent, socketLog }: SocketParts,
): WASocket {
  const { url, version, actionTimeoutMs, findStoredMessage, findGroup, lease, getPendingWrites } = settings
  const log = settings.log.child({ instance })
  const sock = makeWASocket({
    waWebSocketUrl: url,
    ...(version && { version }),
    auth: auth.state,
    ...(agent && {
      agent: agent as HttpsAgent,
      options: { dispatcher: rejectingDispatcher },
    }),
    logger: createLibraryLog(log, socketLog && createSentLogger(socketLog)),
    browser: toBrowser(settings.device ?? defaultDevice),
    // The library would set a timer for every frame, stack trace included, which takes longer than to encrypt it. A network that
    // does not answer is what `watchLiveness` is for.
    connectTimeoutMs: 0,
    defaultQueryTimeoutMs: Math.max(60 * SECOND, actionTimeoutMs + 15 * SECOND),
    // `adaptPairing` shows the codes after the first, because it can stop when they are of no use any more.
    qrTimeout: MAX_TIMER_MS,
    keepAliveIntervalMs: KEEP_ALIVE_MS,
    // The library would wait this long after each message that it asks for again, before it reads the next one.
    retryRequestDelayMs: 0,
    markOnlineOnConnect: false,
    syncFullHistory: false,
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
  })
  leaveEndedTransactions(sock.authState.keys)
  // The library changes a list of devices by number only, and keeps the one by LID as it was.
  sock.ws.on('CB:notification,type:devices', ({ attrs }: BinaryNode) => {
    const { user } = jidDecode(attrs.lid) ?? {}
    if (user) void caches.devices.del(user)
  })
  // A write that was lost before belonged to the former socket, so its error is dropped.
  getPendingWrites(instance)?.catch(() => undefined)
  dropFramesWithoutLease(lease, sock)
  if (socketLog) logFrames(sock, socketLog)
  const isPaired = () => auth.state.creds.account !== undefined && auth.state.creds.me !== undefined
  ignoreUnpairedLogin(sock, isPaired, () =>
    log.warn('the network calls a device logged in that was never paired: it is not believed'),
  )
  const getFirstWrites = () => getPendingWrites(instance)
  sendAfterWrites(sock, () => auth.linking?.then(getFirstWrites) ?? getFirstWrites(), auth.reportFault)
  handleDeviceRetries(sock, {
    findMessage: findMessage,
    retryCounts: caches.retries,
    onError: (error) => log.warn({ instance, err: error }, 'a message is not sent again'),
  })
  return sock

  /** Other devices may request any id, so a message is sent again in its own chat only, and a status post only to its recipients. */
  async function findMessage({ id, remoteJid, participant }: WAMessageKey) {
    if (!id || !remoteJid) return undefined
    const { pn, lid, id: chat } = await findKnownIds(sock, toGatewayJid(remoteJid))
    if (chat === STATUS_JID) {
      const requester = await findKnownIds(sock, toGatewayJid(participant))
      if (!caches.audiences.includesAny(id, [requester.pn, requester.lid])) return undefined
    }
    const place = { chats: [chat, pn, lid], author: '', fromMe: true }
    const encoded = await findStoredMessage(instance, id, place)
    return encoded ? decodeMessage(encoded) : undefined
  }
}
