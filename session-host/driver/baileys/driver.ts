// The driver that speaks through the baileys library: the only room that knows it.

import { cachedCredentials } from '../../store/cached-credentials.ts'
import type { CredentialStore } from '../../store/credentials.ts'
import type { Driver } from '../driver.ts'
import { makeAuth, readCreds } from './auth-state.ts'
import { makeConnection } from './connection.ts'
import { decodeMessage, editedForm } from './content.ts'
import { type Keepsakes, makeKeepsakes } from './keepsakes.ts'
import { wayBy } from './proxies.ts'
import { makeKeysQuick } from './quick-keys.ts'
import { makeReceived } from './received.ts'
import { makeSocket, type SocketSettings } from './socket.ts'
import { enforceTrust } from './trust.ts'
import { undoFailedAttempts } from './undone-attempts.ts'
import { leaveSharedQueues } from './unshared-queues.ts'

export interface BaileysSettings extends SocketSettings {
  /** In place of the genuine network's. */
  rootKey?: Buffer<ArrayBuffer>
  /** PEM: who vouches for the hosts of files, in place of the public authorities. */
  mediaCa?: string
  credentials: CredentialStore
  /** Proxies may be on this machine or in its network. */
  localProxies?: boolean
}

export function makeBaileysDriver({
  rootKey,
  mediaCa,
  credentials: stored,
  localProxies = false,
  ...settings
}: BaileysSettings): Driver {
  const credentials = cachedCredentials(stored)
  enforceTrust(rootKey)
  undoFailedAttempts()
  leaveSharedQueues()
  makeKeysQuick()
  const keepsakes = new Map<string, Keepsakes>()

  return {
    async credential(instance) {
      const creds = await readCreds(credentials, instance)
      if (!creds) return 'none'
      // `me` is there before a pairing by code has ended; `account` is what the phone signed.
      return creds.account && creds.me ? 'linked' : 'unfinished'
    },
    async connect(attempt) {
      const { instance, fresh } = attempt
      credentials.begin(instance)
      const auth = await makeAuth(credentials, instance, fresh)
      const kept = (!fresh && keepsakes.get(instance)) || makeKeepsakes()
      keepsakes.set(instance, kept)
      const received = makeReceived(credentials, instance, auth.state.keys, settings.log)
      await received.load()
      const { proxy } = attempt
      const way = proxy === undefined ? undefined : wayBy(proxy, settings.url, { local: localProxies })
      const sock = makeSocket(settings, instance, auth, kept, received, way?.socket)
      return makeConnection(sock, auth, received, attempt, { ca: mediaCa, by: way })
    },
    editedForm: (edit) => editedForm(decodeMessage(edit)),
    async forget(instance) {
      keepsakes.delete(instance)
      await credentials.clear(instance)
    },
  }
}
