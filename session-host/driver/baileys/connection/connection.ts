// A connection: one socket to the network, and the calls on it.

import type { BinaryNode, WASocket } from 'baileys'
import { SECOND } from '../../../../shared/date-time.ts'
import { withDeadline } from '../../../../shared/deadline.ts'
import type { Log } from '../../../host-log.ts'
import type { Clock } from '../../../machine-clock.ts'
import { toNetworkId } from '../../../message-names.ts'
import type { SocketLog } from '../../../network-log/network-log-writer.ts'
import type { DmAddressing } from '../../dm-addressing.ts'
import type {
  Closing,
  Connection,
  ConnectOptions,
  NetworkGroup,
  NetworkOutcome,
  Presence,
} from '../../driver.ts'
import { checkNumbers, findAccount, findKnownIds } from '../account-lookup.ts'
import { createAccountNetwork } from '../account-queries.ts'
import { createBlockList } from '../block-list.ts'
import { rejectCall } from '../call-signaling.ts'
import { createGroupNetwork } from '../groups/group-queries.ts'
import { createHistoryReader, type HistoryQueue } from '../history/history-reader.ts'
import { toNetworkJid } from '../ids.ts'
import type { Auth } from '../keys/auth-state.ts'
import type { InboundBuffer } from '../messages/inbound-buffer.ts'
import { createMediaHost } from '../messages/media-host.ts'
import type { MediaAccess } from '../messages/media-request.ts'
import { createMediaRetries } from '../messages/media-retry.ts'
import { createMediaNetwork } from '../messages/media-transfers.ts'
import { encodeContent } from '../messages/message-encoding.ts'
import { createOutgoing } from '../messages/outgoing-messages.ts'
import { createAddressing } from '../recipient-addressing.ts'
import { createSettingsNetwork } from '../settings/settings-changes.ts'
import type { DeviceLabel } from './device-label.ts'
import { adaptEvents } from './event-adapter.ts'
import type { InstanceCaches } from './lasting-caches.ts'
import { watchLidMigration } from './lid-migration-state.ts'
import { runRequest, sendQuery } from './network-query.ts'
import { createRetryQuota, limitRetries } from './retry-quota.ts'

/** Not by the library, which names the sender: the network knows who it is, and new clients leave that out. */
const buildChatState = (to: string, presence: Presence): BinaryNode => ({
  tag: 'chatstate',
  attrs: { to },
  content: [
    presence === 'recording' ? { tag: 'composing', attrs: { media: 'audio' } } : { tag: presence, attrs: {} },
  ],
})

const CLOSE_TIMEOUT_MS = 2 * SECOND

interface Deps {
  sock: WASocket
  auth: Auth
  inbound: InboundBuffer
  options: ConnectOptions
  device: DeviceLabel
  caches: Pick<InstanceCaches, 'audiences' | 'devices'>
  dmAddressing: DmAddressing
  /** As stored. */
  findGroup(jid: string): Promise<NetworkGroup | undefined>
  mediaAccess: MediaAccess
  historyTurns: HistoryQueue
  clock: Clock
  log: Log
  socketLog: SocketLog | undefined
}

export function createConnection(deps: Deps): Connection {
  const { sock, auth, inbound, options, mediaAccess, clock, log } = deps
  const groups = createGroupNetwork(sock)
  async function refreshGroup(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<NetworkGroup>> {
    const outcome = await groups.getGroup(jid, deadline)
    if (outcome.kind === 'done') await options.events.onGroupRenewed(outcome.value)
    return outcome
  }
  const migration = watchLidMigration(sock, auth, log)
  const addressing = createAddressing(sock, migration, deps.dmAddressing)
  const { caches, findGroup } = deps
  const outgoing = createOutgoing({ sock, addressing, caches, findGroup, refreshGroup, log })
  const ending = Promise.withResolvers<Closing>()
  const quota = createRetryQuota(clock)
  limitRetries(sock, quota)
  inbound.onDecrypting(quota.beginMessage)
  const media = createMediaHost(sock, mediaAccess, clock, log)
  const history = createHistoryReader({ sock, media, events: options.events, queue: deps.historyTurns, log })
  const adapter = adaptEvents({
    sock,
    auth,
    inbound,
    outgoing,
    migration,
    history,
    options,
    clock,
    log,
    device: deps.device,
    onEnd: ending.resolve,
  })
  // For every kind of end, also while the proxy has not answered yet.
  void ending.promise.then((closing) => {
    mediaAccess.proxy?.close()
    deps.socketLog?.logEnd(closing)
  })

  async function confirmRead(deadline: AbortSignal): Promise<NetworkOutcome> {
    // The network reads frames in order, so its answer to a ping, also a refusal, means that it has read all before it.
    const content = [{ tag: 'ping', attrs: {} }]
    const outcome = await sendQuery(sock, { xmlns: 'w:p', type: 'get', content }, deadline)
    return outcome.kind === 'unknown' ? outcome : { kind: 'done', value: undefined }
  }

  return {
    sendAssertion: adapter.sendAssertion,
    findAccount: (jid, deadline) => runRequest(() => findAccount(sock, jid, deadline), deadline),
    findKnownIds: (jid) => findKnownIds(sock, jid),
    checkNumbers: (jids, deadline) => runRequest(() => checkNumbers(sock, jids, deadline), deadline),
    encode: encodeContent,
    send: outgoing.send,
    confirmSent: (messageid) => void outgoing.handleAck({ messageid }),
    showPresence: (chat, presence, deadline) =>
      runRequest(async () => {
        const { to } = await addressing.findAddress(chat)
        await sock.sendNode(buildChatState(to, presence))
        return { kind: 'done', value: undefined }
      }, deadline),
    confirmRead,
    markRead: (keys, deadline) =>
      runRequest(async () => {
        const found = keys.map(async ({ messageid, chatid, sender, isGroup }) => ({
          id: toNetworkId(messageid),
          fromMe: false,
          remoteJid: (await addressing.findAddress(isGroup ? chatid : sender)).to,
          ...(isGroup && { participant: toNetworkJid(sender) }),
        }))
        await sock.readMessages(await Promise.all(found))
        return confirmRead(deadline)
      }, deadline),
    rejectCall: (callid, creator, deadline) =>
      runRequest(
        async () => rejectCall(sock, callid, await addressing.findAddress(creator), deadline),
        deadline,
      ),
    groups,
    media: createMediaNetwork(media, createMediaRetries(sock, clock)),
    account: createAccountNetwork(
      sock,
      adapter.getProfileName,
      confirmRead,
      media,
      createBlockList(sock, adapter.reportSettings, adapter.logUnreadSetting),
    ),
    settings: createSettingsNetwork(sock, media, adapter.setProfileName),
    async unlink(deadline) {
      const jid = sock.authState.creds.me?.id ?? ''
      const removal = { tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }
      // The network may close the socket as logged out before its answer arrives, which confirms it too.
      const closed = ending.promise.then(
        ({ kind, message }): NetworkOutcome<unknown> =>
          kind === 'logged_out' ? { kind: 'done', value: undefined } : { kind: 'unknown', message },
      )
      const confirmed = sendQuery(sock, { xmlns: 'md', type: 'set', content: [removal] }, deadline)
      const outcome = await Promise.race([confirmed, closed])
      return outcome.kind === 'done' ? { kind: 'done', value: undefined } : outcome
    },
    async close() {
      adapter.stop()
      outgoing.failWaiting()
      await withDeadline(sock.end(undefined), CLOSE_TIMEOUT_MS, () => undefined)
      mediaAccess.proxy?.close()
      await auth.end().catch(() => undefined)
    },
  }
}
