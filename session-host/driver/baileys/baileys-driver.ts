// The driver that uses the baileys library; only this folder imports it.

import { DEFAULT_CONNECTION_CONFIG } from 'baileys'
import { defaultDevice } from '../../../shared/device-settings.ts'
import type { Clock } from '../../machine-clock.ts'
import type { NetworkLog } from '../../network-log/network-log-writer.ts'
import { CachedCredentials } from '../../store/cached-credentials.ts'
import type { CredentialStore } from '../../store/credential-store.ts'
import type { DmAddressing } from '../dm-addressing.ts'
import type { Driver } from '../driver.ts'
import { BaileysConnection } from './connection/connection.ts'
import { LastingCaches } from './connection/lasting-caches.ts'
import { createSocket, type SocketSettings } from './connection/library-socket.ts'
import { createProxyAgents } from './connection/proxy-agents.ts'
import { createHistoryQueue } from './history/history-reader.ts'
import { Auth, readCreds } from './keys/auth-state.ts'
import { InboundBuffer } from './messages/inbound-buffer.ts'
import { decodeMessage, encodeEditedMessage } from './messages/message-content.ts'
import { decryptVote } from './messages/poll-votes.ts'
import { applyPatches } from './patches/apply-patches.ts'

/** The version of the network's program that is announced unless the settings name another, as `2.3000.N`. */
export const announcedVersion = DEFAULT_CONNECTION_CONFIG.version.join('.')

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
}

export function createBaileysDriver({
  rootKey,
  mediaCa,
  credentials: credentialStore,
  localProxies = false,
  dmAddressing = 'auto',
  clock,
  networkLog,
  ...settings
}: BaileysSettings): Driver {
  const credentials = new CachedCredentials(credentialStore)
  applyPatches({ rootKey })
  const lastingCaches = new LastingCaches()
  const historyQueue = createHistoryQueue()

  return {
    async readCredentialState(instance) {
      const creds = await readCreds(credentials, instance)
      if (!creds) return 'none'
      // `me` is set before a pairing by code is complete; `account` is signed by the phone.
      return creds.account && creds.me ? 'linked' : 'unfinished'
    },
    async connect(options) {
      const { instance, fresh, proxy } = options
      credentials.startGeneration(instance)
      const auth = await Auth.load(credentials, instance, fresh)
      if (fresh) lastingCaches.dropCaches(instance)
      const caches = lastingCaches.getCaches(instance)
      const log = settings.log.child({ instance })
      const inbound = new InboundBuffer(credentials, instance, auth.state, settings.findStoredMessage, log)
      await inbound.loadEarlier()
      const local = localProxies
      const agents = proxy === undefined ? undefined : createProxyAgents(proxy, settings.url, { local })
      const socketLog = networkLog?.open(instance)
      const parts = { instance, auth, caches, inbound, agent: agents?.socket, socketLog }
      return new BaileysConnection({
        sock: createSocket(settings, parts),
        auth,
        inbound,
        options,
        device: settings.device ?? defaultDevice,
        caches,
        dmAddressing,
        findGroup: (jid) => settings.findGroup(instance, jid),
        mediaAccess: { ca: mediaCa, proxy: agents },
        historyQueue,
        clock,
        log,
        socketLog,
      })
    },
    decryptVote,
    extractEditedMessage: (edit) => encodeEditedMessage(decodeMessage(edit)),
    async deleteCredential(instance) {
      lastingCaches.dropCaches(instance)
      await credentials.deleteAll(instance)
    },
  }
}
