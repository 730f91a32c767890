// A connection: one socket to the network, and the calls on it.

import { setImmediate as turn } from 'node:timers/promises'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { withDeadline } from '@msgnet/shared/deadline.ts'
import type { BinaryNode, WASocket } from 'baileys'
import type { SocketLog } from '../../../network-log/network-log-writer.ts'
import type { Log } from '../../../process/host-log.ts'
import type { Clock } from '../../../process/machine-clock.ts'
import type { DmAddressing } from '../../dm-addressing.ts'
import type {
  Closing,
  Connection,
  ConnectOptions,
  MessageKey,
  NetworkGroup,
  NetworkOutcome,
  Presence,
} from '../../driver.ts'
import { Effect } from '../../effect.ts'
import { toNetworkId } from '../../message-names.ts'
import { AccountQueries } from '../account-queries.ts'
import { BlockList } from '../block-list.ts'
import { rejectCall } from '../call-signaling.ts'
import { GroupQueries } from '../groups/group-queries.ts'
import { HistoryReader, type HistoryTurns } from '../history/history-reader.ts'
import { SharedHistory } from '../history/shared-history.ts'
import { toNetworkJid } from '../ids.ts'
import type { Auth } from '../keys/auth-state.ts'
import type { ChargeKeys } from '../messages/group-sends.ts'
import { MediaHosts } from '../messages/media-hosts.ts'
import type { MediaAccess } from '../messages/media-request.ts'
import { MediaRetries } from '../messages/media-retry.ts'
import { type DrawPreview, MediaTransfers } from '../messages/media-transfers.ts'
import { encodeContent } from '../messages/message-encoding.ts'
import { OutgoingMessages } from '../messages/outgoing-messages.ts'
import { requestPlaceholder } from '../messages/resent-messages.ts'
import type { ReceivedMessages } from '../messages/store-before-receipt.ts'
import { NumberForms } from '../number-forms.ts'
import { RecipientAddressing } from '../recipient-addressing.ts'
import { SettingsChanges } from '../settings/settings-changes.ts'
import { checkUsernames } from '../usernames.ts'
import type { DeviceLabel } from './device-label.ts'
import { announceEffectFrame, writeEffect } from './effect-frames.ts'
import { EventAdapter } from './event-adapter.ts'
import type { InstanceCaches } from './lasting-caches.ts'
import { LidMigration } from './lid-migration-state.ts'
import { runRequest, sendQuery, setSocketEnd } from './network-query.ts'
import { limitRetries, RetryQuota } from './retry-quota.ts'
import type { StanzaTurns } from './stanza-turns.ts'

const CLOSE_TIMEOUT_MS = 2 * SECOND

interface Deps {
  sock: WASocket
  stanzas: StanzaTurns
  auth: Auth
  inbound: ReceivedMessages
  options: ConnectOptions
  classifyEnd(closing: Closing): Promise<Closing>
  device: DeviceLabel
  caches: Pick<InstanceCaches, 'audiences' | 'devices' | 'numberForms'>
  dmAddressing: DmAddressing
  /** As stored. */
  findGroup(jid: string): Promise<NetworkGroup | undefined>
  chargeKeys: ChargeKeys
  mediaAccess: MediaAccess
  historyTurns: HistoryTurns
  clock: Clock
  drawPreview: DrawPreview
  log: Log
  socketLog: SocketLog | undefined
}

/** Its calls are properties of their own, because callers wrap a connection by spreading it. */
export class BaileysConnection implements Connection {
  readonly groups: GroupQueries
  readonly media: MediaTransfers
  readonly account: AccountQueries
  readonly settings: SettingsChanges
  readonly #deps: Deps
  readonly #numbers: NumberForms
  readonly #addressing: RecipientAddressing
  readonly #outgoing: OutgoingMessages
  readonly #adapter: EventAdapter
  readonly #ending = Promise.withResolvers<Closing>()
  readonly #ended = new AbortController()

  constructor(deps: Deps) {
    this.#deps = deps
    const { sock, auth, inbound, options, device, caches, mediaAccess, clock, log } = deps
    this.groups = new GroupQueries(sock)
    const migration = new LidMigration(sock, auth, log)
    const numbers = new NumberForms(sock, caches.numberForms)
    const addressing = new RecipientAddressing(sock, numbers, migration, deps.dmAddressing)
    const refreshGroup = (jid: string, deadline: AbortSignal) => this.#refreshGroup(jid, deadline)
    const outgoing = new OutgoingMessages({ ...deps, addressing, refreshGroup })
    const quota = new RetryQuota(clock)
    limitRetries(sock, quota)
    inbound.onDecrypting((key) => quota.beginMessage(key))
    const hosts = new MediaHosts(sock, mediaAccess, clock, log)
    const { events, instance } = options
    const reading = { sock, media: hosts, events, instance, turns: deps.historyTurns, log }
    const history = new HistoryReader({ ...reading, mode: options.history ?? 'none' })
    const onEnd = this.#ending.resolve
    const adapter = new EventAdapter({
      sock,
      auth,
      inbound,
      outgoing,
      migration,
      history,
      shared: new SharedHistory(reading),
      options,
      device,
      clock,
      log,
      onEnd,
      classifyEnd: deps.classifyEnd,
    })
    // For every kind of end, also while the proxy has not answered yet.
    setSocketEnd(sock, this.#ended.signal)
    this.#ended.signal.addEventListener('abort', () => deps.stanzas.stop(), { once: true })
    deps.stanzas.setProgress({
      isExpecting: () => outgoing.isWaiting,
      waitUntilStored: () => adapter.waitUntilStored(),
    })
    void this.#ending.promise.then((closing) => {
      this.#ended.abort()
      mediaAccess.proxy?.close()
      deps.socketLog?.logEnd(closing)
    })
    const blockList = new BlockList(
      sock,
      (changes) => adapter.reportSettings(changes),
      (error) => adapter.logUnreadSetting(error),
    )
    this.media = new MediaTransfers(hosts, new MediaRetries(sock, clock), deps.drawPreview)
    this.account = new AccountQueries(sock, hosts, blockList, {
      getProfileName: () => adapter.getProfileName(),
      confirmRead: this.confirmRead,
    })
    this.settings = new SettingsChanges(sock, hosts, (name) => adapter.setProfileName(name))
    this.#numbers = numbers
    this.#addressing = addressing
    this.#outgoing = outgoing
    this.#adapter = adapter
  }

  sendAssertion: Connection['sendAssertion'] = (assertion, deadline) =>
    this.#adapter.sendAssertion(assertion, deadline)

  findAccount: Connection['findAccount'] = (jid, deadline) =>
    this.#runRequest(deadline, () => this.#numbers.findAccount(jid, deadline))

  findKnownIds: Connection['findKnownIds'] = (jid) => this.#numbers.findKnownIds(jid)

  checkNumbers: Connection['checkNumbers'] = (jids, deadline) =>
    this.#runRequest(deadline, () => this.#numbers.checkNumbers(jids, deadline))

  checkUsernames: Connection['checkUsernames'] = (usernames, deadline) =>
    this.#runRequest(deadline, (sock) => checkUsernames(sock, usernames, deadline))

  encode: Connection['encode'] = encodeContent

  send: Connection['send'] = (...message) => this.#outgoing.send(...message)

  confirmSent: Connection['confirmSent'] = (messageid) => void this.#outgoing.handleAck({ messageid })

  showTyping: Connection['showTyping'] = (...state) => this.showPresence(...state)

  showPresence: Connection['showPresence'] = (chat, presence, deadline) =>
    this.#runRequest(deadline, async (sock) => {
      const { to } = await this.#addressing.findAddress(chat)
      announceEffectFrame(sock)
      await sock.sendNode(buildChatState(to, presence))
      return { kind: 'done', value: undefined }
    })

  subscribePresence: Connection['subscribePresence'] = (chat, deadline) =>
    this.#runRequest(deadline, async (sock) => {
      const { to } = await this.#addressing.findAddress(chat)
      await writeEffect(sock, () => sock.presenceSubscribe(to))
      return { kind: 'done', value: undefined }
    })

  confirmRead: Connection['confirmRead'] = async (deadline) => {
    // The network reads frames in order, so its response to a ping, also a refusal, means that it has read all before it.
    const content = [{ tag: 'ping', attrs: {} }]
    const outcome = await sendQuery(this.#deps.sock, { xmlns: 'w:p', type: 'get', content }, deadline)
    return outcome.kind === 'unknown' ? outcome : { kind: 'done', value: undefined }
  }

  markRead: Connection['markRead'] = (keys, deadline) =>
    this.#runRequest(deadline, async (sock) => {
      await sock.readMessages(await Promise.all(keys.map((key) => this.#toLibraryKey(key))))
      Effect.current?.markLeft()
      return this.confirmRead(deadline)
    })

  requestHistory: Connection['requestHistory'] = ({ before, count }, deadline) =>
    this.#runRequest(deadline, async (sock) => {
      const { to } = await this.#addressing.findAddress(before.chatid)
      const oldest = { remoteJid: to, fromMe: before.fromMe, id: toNetworkId(before.messageid) }
      await sock.fetchMessageHistory(count, oldest, before.at)
      Effect.current?.markLeft()
      return this.confirmRead(deadline)
    })

  requestResend: Connection['requestResend'] = (key, deadline) =>
    this.#runRequest(deadline, async (sock) => {
      const { to } = await this.#addressing.findAddress(key.chatid)
      await requestPlaceholder(sock, to, key)
      Effect.current?.markLeft()
      return this.confirmRead(deadline)
    })

  rejectCall: Connection['rejectCall'] = (callid, creator, deadline) =>
    this.#runRequest(deadline, async (sock) => {
      const address = await this.#addressing.findAddress(creator)
      return rejectCall(sock, callid, address, deadline)
    })

  unlink: Connection['unlink'] = async (deadline) => {
    const { sock } = this.#deps
    const jid = sock.authState.creds.me?.id ?? ''
    const removal = { tag: 'remove-companion-device', attrs: { jid, reason: 'user_initiated' } }
    // The network may close the socket as logged out before its response arrives, which confirms it too.
    const closed = this.#ending.promise.then(
      ({ kind, message }): NetworkOutcome<unknown> =>
        kind === 'logged_out' ? { kind: 'done', value: undefined } : { kind: 'unknown', message },
    )
    const confirmed = sendQuery(sock, { xmlns: 'md', type: 'set', content: [removal] }, deadline)
    const answered = await Promise.race([confirmed, closed])
    // The end of the socket says more than that the request got no answer.
    const outcome = 'lost' in answered ? await Promise.race([closed, turn(answered)]) : answered
    return outcome.kind === 'done' ? { kind: 'done', value: undefined } : outcome
  }

  close: Connection['close'] = async () => {
    const { sock, auth, mediaAccess } = this.#deps
    this.#adapter.stop()
    this.#outgoing.failWaiting()
    this.#ended.abort()
    await withDeadline(sock.end(undefined), CLOSE_TIMEOUT_MS, () => undefined)
    mediaAccess.proxy?.close()
    await auth.end().catch(() => undefined)
  }

  #runRequest<Value>(
    deadline: AbortSignal,
    work: (sock: WASocket) => Promise<NetworkOutcome<Value>>,
  ): Promise<NetworkOutcome<Value>> {
    const { sock } = this.#deps
    return runRequest(sock, deadline, () => work(sock))
  }

  async #refreshGroup(jid: string, deadline: AbortSignal): Promise<NetworkOutcome<NetworkGroup>> {
    const outcome = await this.groups.getGroup(jid, deadline)
    if (outcome.kind === 'done') await this.#deps.options.events.onGroupRenewed(outcome.value)
    return outcome
  }

  async #toLibraryKey({ messageid, chatid, sender, isGroup }: MessageKey) {
    const { to } = await this.#addressing.findAddress(isGroup ? chatid : sender)
    return {
      id: toNetworkId(messageid),
      fromMe: false,
      remoteJid: to,
      ...(isGroup && { participant: toNetworkJid(sender) }),
    }
  }
}

/** Not by the library, which names the sender: the network knows it already, and new clients leave it out. */
function buildChatState(to: string, presence: Presence): BinaryNode {
  const state =
    presence === 'recording' ? { tag: 'composing', attrs: { media: 'audio' } } : { tag: presence, attrs: {} }
  return { tag: 'chatstate', attrs: { to }, content: [state] }
}
