// One socket of the library's, set up the way the gateway wants it.

import type { Agent } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import makeWASocket, { Browsers, proto, type WASocket } from 'baileys'
import { SECOND } from '../../../../shared/clock.ts'
import { STATUS } from '../../../../shared/jid.ts'
import type { Lease } from '../../../lease.ts'
import type { Log } from '../../../log.ts'
import type { FindGroup, FindStored } from '../../driver.ts'
import { metadataOf } from '../groups/group-form.ts'
import { inward } from '../ids.ts'
import type { Auth } from '../keys/auth-state.ts'
import { leaveEndedTransactions } from '../keys/late-work.ts'
import { COMMIT_TRIES } from '../keys/ratchets.ts'
import { decodeMessage } from '../messages/content.ts'
import type { InboundBuffer } from '../messages/inbound-buffer.ts'
import { knownAs } from '../people.ts'
import { muteWithoutLease, sendAfterWrites } from './frame-guards.ts'
import type { InstanceCaches } from './lasting-caches.ts'
import { libraryLog } from './library-log.ts'
import { KEEP_ALIVE_MS } from './liveness.ts'
import { fetchesNothing } from './proxies.ts'

export interface SocketSettings {
  url: string
  /** The longest that an act may take; the library's own queries give up later than any of them. */
  actionTimeoutMs: number
  log: Log
  findStored: FindStored
  findGroup: FindGroup
  /** Without it nothing is heard or said on any socket. */
  lease: Pick<Lease, 'runs'>
  /** What of an instance has to be on disk before its socket says anything, if anything has. */
  writeFirst(instance: string): Promise<void> | undefined
}

/** What is the instance's own. */
interface Device {
  instance: string
  auth: Auth
  caches: InstanceCaches
  inbound: InboundBuffer
  /** Of its proxy. */
  agent: Agent | undefined
}

export function makeSocket(
  { url, actionTimeoutMs, log, findStored, findGroup, lease, writeFirst }: SocketSettings,
  { instance, auth, caches, inbound, agent }: Device,
): WASocket {
  const sock = makeWASocket({
    waWebSocketUrl: url,
    auth: auth.state,
    ...(agent && {
      agent: agent as HttpsAgent,
      options: { dispatcher: fetchesNothing },
    }),
    logger: libraryLog(log.child({ instance })),
    // The network takes only names that it knows.
    browser: Browsers.windows('Chrome'),
    // The library would time every frame that leaves, stack traces included, which takes longer than to encrypt it. A network that
    // does not answer is what `watchLiveness` is for.
    connectTimeoutMs: 0,
    defaultQueryTimeoutMs: Math.max(60 * SECOND, actionTimeoutMs + 15 * SECOND),
    keepAliveIntervalMs: KEEP_ALIVE_MS,
    markOnlineOnConnect: false,
    syncFullHistory: false,
    // The bootstrap brings the first LID mappings, without which sessions break; it is no history that we keep. Saying
    // no to RECENT is what spares a first connection the 20 s for which the library holds all events back.
    shouldSyncHistoryMessage: ({ syncType }) =>
      syncType === proto.HistorySync.HistorySyncType.INITIAL_BOOTSTRAP,
    generateHighQualityLinkPreview: false,
    msgRetryCounterCache: caches.retries,
    userDevicesCache: caches.devices,
    transactionOpts: COMMIT_TRIES,
    makeSignalRepository: inbound.makeRepository,
    cachedGroupMetadata: async (jid) => {
      const group = await findGroup(instance, jid)
      return group && metadataOf(group)
    },
    // Others ask for any id that they like: a message is sent again in its own chat only, and a status post to who was sent it.
    getMessage: async ({ id, remoteJid, participant }) => {
      if (!id || !remoteJid) return undefined
      const { pn, lid, id: chat } = await knownAs(sock, inward(remoteJid))
      if (chat === STATUS) {
        const asking = await knownAs(sock, inward(participant))
        if (!caches.audiences.includes(id, [asking.pn, asking.lid])) return undefined
      }
      const place = { chats: [chat, pn, lid], author: '', fromMe: true }
      const encoded = await findStored(instance, id, place)
      return encoded ? decodeMessage(encoded) : undefined
    },
  })
  leaveEndedTransactions(sock.authState.keys)
  // What was lost before is over with the socket that it belonged to.
  writeFirst(instance)?.catch(() => undefined)
  muteWithoutLease(lease, sock)
  const first = () => writeFirst(instance)
  sendAfterWrites(sock, () => auth.linking?.then(first) ?? first(), auth.fail)
  return sock
}
