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
import { SECOND } from '../../../../shared/clock.ts'
import { presetDevice } from '../../../../shared/device-settings.ts'
import { STATUS } from '../../../../shared/jid.ts'
import type { Lease } from '../../../lease.ts'
import type { Log } from '../../../log.ts'
import type { SocketLog } from '../../../network-log/network-log.ts'
import type { FindGroup, FindStored } from '../../driver.ts'
import { metadataOf } from '../groups/group-form.ts'
import { inward } from '../ids.ts'
import type { Auth } from '../keys/auth-state.ts'
import { leaveEndedTransactions } from '../keys/late-work.ts'
import { COMMIT_TRIES } from '../keys/ratchets.ts'
import { decodeMessage } from '../messages/content.ts'
import { answerDeviceRetries } from '../messages/device-retries.ts'
import type { InboundBuffer } from '../messages/inbound-buffer.ts'
import { knownAs } from '../people.ts'
import { type DeviceLabel, toBrowser } from './device-label.ts'
import { ignoreLoginOfStrangers, muteWithoutLease, sendAfterWrites } from './frame-guards.ts'
import type { InstanceCaches } from './lasting-caches.ts'
import { libraryLog } from './library-log.ts'
import { KEEP_ALIVE_MS } from './liveness.ts'
import { logFrames, logSent } from './protocol-log.ts'
import { fetchesNothing } from './proxies.ts'

/** The most that a timer of Node takes; it is cleared when the socket ends. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface SocketSettings {
  url: string
  /** The announced version; the library's own by default. */
  version?: WAVersion
  device?: DeviceLabel
  /** The longest time of an act; the library's own queries time out later. */
  actionTimeoutMs: number
  log: Log
  findStored: FindStored
  findGroup: FindGroup
  /** While it does not run, no socket reads or sends anything. */
  lease: Pick<Lease, 'runs'>
  /** The writes of an instance that have to be on disk before its socket sends anything, if any. */
  writeFirst(instance: string): Promise<void> | undefined
}

/** The parts that belong to one instance. */
interface Device {
  instance: string
  auth: Auth
  caches: InstanceCaches
  inbound: InboundBuffer
  /** The agent of its proxy. */
  agent: Agent | undefined
  /** What of its frames is logged; undefined while that is off. */
  socketLog: SocketLog | undefined
}

export function makeSocket(
  settings: SocketSettings,
  { instance, auth, caches, inbound, agent, socketLog }: Device,
): WASocket {
  const { url, version, actionTimeoutMs, findStored, findGroup, lease, writeFirst } = settings
  const log = settings.log.child({ instance })
  const sock = makeWASocket({
    waWebSocketUrl: url,
    ...(version && { version }),
    auth: auth.state,
    ...(agent && {
      agent: agent as HttpsAgent,
      options: { dispatcher: fetchesNothing },
    }),
    logger: libraryLog(log, socketLog && logSent(socketLog)),
    browser: toBrowser(settings.device ?? presetDevice),
    // The library would set a timer for every frame, stack trace included, which takes longer than to encrypt it. A network that
    // does not answer is what `watchLiveness` is for.
    connectTimeoutMs: 0,
    defaultQueryTimeoutMs: Math.max(60 * SECOND, actionTimeoutMs + 15 * SECOND),
    // `adaptPairing` shows the codes after the first, because it can stop when they are of no use any more.
    qrTimeout: LONGEST_TIMER_MS,
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
    transactionOpts: COMMIT_TRIES,
    makeSignalRepository: inbound.makeRepository,
    cachedGroupMetadata: async (jid) => {
      const group = await findGroup(instance, jid)
      return group && metadataOf(group)
    },
    getMessage,
  })
  leaveEndedTransactions(sock.authState.keys)
  // The library changes a list of devices by number only, and keeps the one by LID as it was.
  sock.ws.on('CB:notification,type:devices', ({ attrs }: BinaryNode) => {
    const { user } = jidDecode(attrs.lid) ?? {}
    if (user) void caches.devices.del(user)
  })
  // A write that was lost before belonged to the former socket, so its error is dropped.
  writeFirst(instance)?.catch(() => undefined)
  muteWithoutLease(lease, sock)
  if (socketLog) logFrames(sock, socketLog)
  const isPaired = () => auth.state.creds.account !== undefined && auth.state.creds.me !== undefined
  ignoreLoginOfStrangers(sock, isPaired, () =>
    log.warn('the network calls a device logged in that was never paired: it is not believed'),
  )
  const first = () => writeFirst(instance)
  sendAfterWrites(sock, () => auth.linking?.then(first) ?? first(), auth.fail)
  answerDeviceRetries(sock, {
    ...{ find: getMessage, counts: caches.retries },
    failed: (thrown) => log.warn({ instance, err: thrown }, 'a message is not sent again'),
  })
  return sock

  /** Other devices may request any id, so a message is sent again in its own chat only, and a status post only to its recipients. */
  async function getMessage({ id, remoteJid, participant }: WAMessageKey) {
    if (!id || !remoteJid) return undefined
    const { pn, lid, id: chat } = await knownAs(sock, inward(remoteJid))
    if (chat === STATUS) {
      const asking = await knownAs(sock, inward(participant))
      if (!caches.audiences.includes(id, [asking.pn, asking.lid])) return undefined
    }
    const place = { chats: [chat, pn, lid], author: '', fromMe: true }
    const encoded = await findStored(instance, id, place)
    return encoded ? decodeMessage(encoded) : undefined
  }
}
