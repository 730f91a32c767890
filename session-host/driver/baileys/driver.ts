// The driver that uses the baileys library; only this folder imports it.

import { DEFAULT_CONNECTION_CONFIG } from 'baileys'
import { presetDevice } from '../../../shared/device-settings.ts'
import type { Clock } from '../../clock.ts'
import type { NetworkLog } from '../../network-log/network-log.ts'
import { cachedCredentials } from '../../store/cached-credentials.ts'
import type { CredentialStore } from '../../store/credentials.ts'
import type { DmAddressing } from '../addressing.ts'
import type { Driver } from '../driver.ts'
import { makeConnection } from './connection/connection.ts'
import { makeLastingCaches } from './connection/lasting-caches.ts'
import { makeProxyAgents } from './connection/proxies.ts'
import { makeSocket, type SocketSettings } from './connection/socket.ts'
import { makeHistoryTurns } from './history/history.ts'
import { makeAuth, readCreds } from './keys/auth-state.ts'
import { decodeMessage, editedForm } from './messages/content.ts'
import { makeInboundBuffer } from './messages/inbound-buffer.ts'
import { choicesOf } from './messages/votes.ts'
import { applyPatches } from './patches/patches.ts'

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

export function makeBaileysDriver({
  rootKey,
  mediaCa,
  credentials: stored,
  localProxies = false,
  dmAddressing = 'auto',
  clock,
  networkLog,
  ...settings
}: BaileysSettings): Driver {
  const credentials = cachedCredentials(stored)
  applyPatches({ rootKey })
  const caches = makeLastingCaches()
  const historyTurns = makeHistoryTurns()

  return {
    async credential(instance) {
      const creds = await readCreds(credentials, instance)
      if (!creds) return 'none'
      // `me` is set before a pairing by code is complete; `account` is signed by the phone.
      return creds.account && creds.me ? 'linked' : 'unfinished'
    },
    async connect(options) {
      const { instance, fresh } = options
      credentials.begin(instance)
      const auth = await makeAuth(credentials, instance, fresh)
      if (fresh) caches.forget(instance)
      const kept = caches.of(instance)
      const log = settings.log.child({ instance })
      const inbound = makeInboundBuffer(credentials, instance, auth.state, settings.findStored, settings.log)
      await inbound.load()
      const { proxy } = options
      const agents =
        proxy === undefined ? undefined : makeProxyAgents(proxy, settings.url, { local: localProxies })
      const socketLog = networkLog?.open(instance)
      const device = { instance, auth, caches: kept, inbound, agent: agents?.socket, socketLog }
      const sock = makeSocket(settings, device)
      const mediaAccess = { ca: mediaCa, proxy: agents }
      const findGroup = (jid: string) => settings.findGroup(instance, jid)
      return makeConnection({
        ...{ sock, auth, inbound, options, caches: kept, dmAddressing, findGroup },
        ...{ mediaAccess, historyTurns, clock, log, socketLog },
        device: settings.device ?? presetDevice,
      })
    },
    choicesOf,
    editedForm: (edit) => editedForm(decodeMessage(edit)),
    async forget(instance) {
      caches.forget(instance)
      await credentials.clear(instance)
    },
  }
}
