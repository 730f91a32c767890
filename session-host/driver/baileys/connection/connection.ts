// A connection: one socket to the network, and the calls on it.

import type { BinaryNode, WASocket } from 'baileys'
import { SECOND } from '../../../../shared/clock.ts'
import { withDeadline } from '../../../../shared/deadline.ts'
import type { Clock } from '../../../clock.ts'
import type { Log } from '../../../log.ts'
import { networkId } from '../../../message-names.ts'
import type { SocketLog } from '../../../network-log/network-log.ts'
import type { DmAddressing } from '../../addressing.ts'
import type { Answer, Closing, Connection, ConnectOptions, NetworkGroup, Presence } from '../../driver.ts'
import { makeAccountNetwork } from '../account.ts'
import { makeAddressing } from '../addressing.ts'
import { makeBlocking } from '../blocking.ts'
import { rejectCall } from '../calls.ts'
import { makeGroupNetwork } from '../groups/groups.ts'
import { type HistoryTurns, makeHistory } from '../history/history.ts'
import { outward } from '../ids.ts'
import type { Auth } from '../keys/auth-state.ts'
import { encode } from '../messages/encoding.ts'
import type { InboundBuffer } from '../messages/inbound-buffer.ts'
import { makeMediaNetwork } from '../messages/media.ts'
import { makeMediaHost } from '../messages/media-host.ts'
import type { MediaAccess } from '../messages/media-request.ts'
import { makeMediaRetries } from '../messages/media-retry.ts'
import { makeOutgoing } from '../messages/outgoing.ts'
import { checkNumbers, findAccount, knownAs } from '../people.ts'
import { makeSettingsNetwork } from '../settings/settings.ts'
import { answered, ask } from './ask.ts'
import type { DeviceLabel } from './device-label.ts'
import { adaptEvents } from './event-adapter.ts'
import type { InstanceCaches } from './lasting-caches.ts'
import { watchLidMigration } from './lid-migration.ts'
import { limitRetries, makeRetryQuota } from './retry-quota.ts'

/** Not by the library, which names the sender: the network knows who it is, and new clients leave that out. */
const chatState = (to: string, presence: Presence): BinaryNode => ({
  ...{ tag: 'chatstate', attrs: { to } },
  content: [
    presence === 'recording' ? { tag: 'composing', attrs: { media: 'audio' } } : { tag: presence, attrs: {} },
  ],
})

const CLOSE_WITHIN_MS = 2 * SECOND

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
  historyTurns: HistoryTurns
  clock: Clock
  log: Log
  socketLog: SocketLog | undefined
}

export function makeConnection(deps: Deps): Connection {
  const { sock, auth, inbound, options, mediaAccess, clock, log } = deps
  const groups = makeGroupNetwork(sock)
  async function renewGroup(jid: string, deadline: AbortSignal): Promise<Answer<NetworkGroup>> {
    const answer = await groups.one(jid, deadline)
    if (answer.kind === 'done') await options.events.groupRenewed(answer.value)
    return answer
  }
  const migration = watchLidMigration(sock, auth, log)
  const addressing = makeAddressing(sock, migration, deps.dmAddressing)
  const { caches, findGroup } = deps
  const outgoing = makeOutgoing({ sock, addressing, caches, findGroup, renewGroup, log })
  const ending = Promise.withResolvers<Closing>()
  const quota = makeRetryQuota(clock)
  limitRetries(sock, quota)
  inbound.onDecrypting(quota.decrypting)
  const media = makeMediaHost(sock, mediaAccess, clock, log)
  const history = makeHistory({ sock, media, events: options.events, turns: deps.historyTurns, log })
  const adapter = adaptEvents({
    ...{ sock, auth, inbound, outgoing, migration, history, options, clock, log },
    ...{ device: deps.device, onEnd: ending.resolve },
  })
  // For every kind of end, also while the proxy has not answered yet.
  void ending.promise.then((closing) => {
    mediaAccess.proxy?.close()
    deps.socketLog?.ended(closing)
  })

  async function heard(deadline: AbortSignal): Promise<Answer> {
    // The network reads frames in order, so its answer to a ping, also a refusal, means that it has read all before it.
    const content = [{ tag: 'ping', attrs: {} }]
    const answer = await ask(sock, { xmlns: 'w:p', type: 'get', content }, deadline)
    return answer.kind === 'silent' ? answer : { kind: 'done', value: undefined }
  }

  return {
    sendAssertion: adapter.sendAssertion,
    findAccount: (jid, deadline) => answered(() => findAccount(sock, jid, deadline), deadline),
    knownAs: (jid) => knownAs(sock, jid),
    checkNumbers: (jids, deadline) => answered(() => checkNumbers(sock, jids, deadline), deadline),
    encode,
    send: outgoing.send,
    proven: (messageid) => void outgoing.acknowledged({ messageid }),
    showPresence: (chat, presence, deadline) =>
      answered(async () => {
        const { to } = await addressing.find(chat)
        await sock.sendNode(chatState(to, presence))
        return { kind: 'done', value: undefined }
      }, deadline),
    heard,
    markRead: (keys, deadline) =>
      answered(async () => {
        const found = keys.map(async ({ messageid, chatid, sender, isGroup }) => ({
          id: networkId(messageid),
          fromMe: false,
          remoteJid: (await addressing.find(isGroup ? chatid : sender)).to,
          ...(isGroup && { participant: outward(sender) }),
        }))
        await sock.readMessages(await Promise.all(found))
        return heard(deadline)
      }, deadline),
    rejectCall: (callid, creator, deadline) =>
      answered(async () => rejectCall(sock, callid, await addressing.find(creator), deadline), deadline),
    groups,
    media: makeMediaNetwork(media, makeMediaRetries(sock, clock)),
    account: makeAccountNetwork(
      sock,
      adapter.name,
      heard,
      media,
      makeBlocking(sock, adapter.settings, adapter.unreadSetting),
    ),
    settings: makeSettingsNetwork(sock, media, adapter.named),
    async unlink(deadline) {
      const jid = sock.authState.creds.me?.id ?? ''
      const removal = { tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }
      // The network may close the socket as logged out before its answer arrives, which confirms it too.
      const closed = ending.promise.then(
        ({ kind, message }): Answer<unknown> =>
          kind === 'logged_out' ? { kind: 'done', value: undefined } : { kind: 'silent', message },
      )
      const asked = ask(sock, { xmlns: 'md', type: 'set', content: [removal] }, deadline)
      const answer = await Promise.race([asked, closed])
      return answer.kind === 'done' ? { kind: 'done', value: undefined } : answer
    },
    async close() {
      adapter.stop()
      outgoing.lost()
      await withDeadline(sock.end(undefined), CLOSE_WITHIN_MS, () => undefined)
      mediaAccess.proxy?.close()
      await auth.end().catch(() => undefined)
    },
  }
}
