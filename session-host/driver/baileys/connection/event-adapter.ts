// The event adapter converts the library's events of one socket into ours, until the socket has ended or the adapter is stopped.

import type { IncomingMessage } from 'node:http'
import { MINUTE } from '@msgnet/shared/date-time.ts'
import type { BinaryNode, proto, WAMessage, WASocket } from 'baileys'
import type { Log } from '../../../process/host-log.ts'
import type { Clock } from '../../../process/machine-clock.ts'
import type { Closing, ConnectOptions, NetworkMessage, SettingChange } from '../../driver.ts'
import type { SendAssertion } from '../../passkey-step.ts'
import { adaptCalls } from '../call-signaling.ts'
import { adaptGroups } from '../groups/group-events.ts'
import type { HistoryReader } from '../history/history-reader.ts'
import { PastMessages } from '../history/past-messages.ts'
import type { SharedHistory } from '../history/shared-history.ts'
import { toGatewayJid } from '../ids.ts'
import type { Auth } from '../keys/auth-state.ts'
import { adaptReceipts } from '../messages/incoming-receipts.ts'
import { findProtocolName } from '../messages/message-content.ts'
import { type OwnIds, toNetworkMessage } from '../messages/message-conversion.ts'
import type { OutgoingMessages } from '../messages/outgoing-messages.ts'
import { describeRefusal } from '../messages/refusals.ts'
import { readResent } from '../messages/resent-messages.ts'
import type { ReceivedMessages } from '../messages/store-before-receipt.ts'
import { parseCode } from '../network-numbers.ts'
import { readProfileName } from '../profile-name.ts'
import { adaptSettings } from '../settings/setting-events.ts'
import { renameSenderAttribute } from '../usernames.ts'
import { readStreamEnd, type StreamEnd, toClosing } from './closing.ts'
import { type DeviceLabel, toPlatformType } from './device-label.ts'
import { adaptPresence } from './incoming-presence.ts'
import { findUnknownWord } from './known-words.ts'
import type { LidMigration } from './lid-migration-state.ts'
import { Liveness } from './liveness.ts'
import { PairingCodes } from './pairing-codes.ts'
import { PasskeyLinking } from './passkey-linking.ts'
import { adaptRestrictions } from './restrictions.ts'

type Attributes = Record<string, string>

/** A message that waited longer for this connection is late. */
const MAX_WAIT_MS = MINUTE
const isOld = ({ at }: Pick<NetworkMessage, 'at'>) => Date.now() - at > MAX_WAIT_MS

const toStorageClosing = (error: unknown): Closing => ({ kind: 'storage', code: 0, message: String(error) })

interface Deps {
  sock: WASocket
  auth: Auth
  inbound: ReceivedMessages
  outgoing: OutgoingMessages
  migration: Pick<LidMigration, 'checkMessages'>
  history: HistoryReader
  shared: SharedHistory
  options: ConnectOptions
  device: DeviceLabel
  clock: Clock
  log: Log
  /** Called when the socket has ended, perhaps more than once. */
  onEnd(closing: Closing): void
  /** What the end means once it is known whether a newer version can be announced. */
  classifyEnd(closing: Closing): Promise<Closing>
}

export class EventAdapter {
  readonly #deps: Deps
  readonly #liveness: Liveness
  readonly #pairing: PairingCodes
  readonly #passkey: PasskeyLinking
  #isListening = true
  /** The messages that were reported last: those before them are stored before them. */
  #storing: Promise<unknown> = Promise.resolve()
  /** A frame of the network arrived after its certificate was accepted. */
  #isReached = false
  #isLoggedIn = false
  /** Ids of messages that the phone sent again, until the library has reported them too. */
  readonly #resent = new Set<string>()
  /** The queue of the network is empty. */
  #isCaughtUp = false
  /** How the network ended the stream, once it has. */
  #streamEnd: StreamEnd | undefined
  /** Not stored in `creds.me`: if a name is there, the library reports the account as online at each change of `creds`. */
  #profileName: string

  constructor(deps: Deps) {
    this.#deps = deps
    const { sock, outgoing, options, device, clock, log } = deps
    this.#profileName = readProfileName(sock.authState.creds.me)
    this.#liveness = new Liveness(clock, (message) =>
      this.#endSocket({ kind: this.#isReached ? 'lost' : 'unreachable', code: 408, message }),
    )
    outgoing.onEnd((acknowledged) => this.#liveness.recordSend(acknowledged))
    const isListening = () => this.#isListening
    const onEnd = (closing: Closing) => this.#endSocket(closing)
    this.#pairing = new PairingCodes({ sock, options, device, clock, isListening, onEnd })
    this.#passkey = new PasskeyLinking({
      sock,
      deviceType: toPlatformType(device),
      clock,
      log,
      isListening,
      onRequested: () => this.#pairing.stopCodes(),
      onStep: (step) => options.events.onPasskey(step),
      onEnd,
    })
    this.#watchFrames()
    this.#watchConnection()
    this.#watchMessages()
    this.#watchChanges()
  }

  /** The account's own name; empty while unknown. */
  getProfileName(): string {
    return this.#profileName
  }

  /** For a change of the name by this gateway: the library reports only those by other devices. */
  setProfileName(name: string): void {
    this.#profileName = name
    if (this.#isListening) this.#deps.options.events.onNamed(name)
  }

  /** Reports setting changes that a response of the network contained. */
  reportSettings(changes: SettingChange[]): void {
    if (this.#isListening) this.#deps.options.events.onSettings(changes)
  }

  /** Resolves when the messages that were reported so far are stored, or could not be. */
  waitUntilStored(): Promise<unknown> {
    return this.#storing
  }

  logUnreadSetting(error: unknown): void {
    this.#deps.log.warn({ error }, 'failed to read setting change')
  }

  sendAssertion: SendAssertion = (assertion, deadline) => this.#passkey.sendAssertion(assertion, deadline)

  stop(): void {
    this.#stopParts()
    this.#isListening = false
  }

  #stopParts(): void {
    this.#liveness.stop()
    this.#pairing.stopCodes()
    this.#passkey.stop()
    this.#deps.history.stop()
    this.#deps.shared.stop()
  }

  #watchFrames(): void {
    const { sock, inbound, outgoing, options } = this.#deps
    const { events } = options
    // The library ignores a response that is no WebSocket upgrade, and waits until its timeout.
    sock.ws.on('unexpected-response', (_: unknown, { statusCode = 0 }: IncomingMessage) =>
      this.#endSocket({
        kind: 'unreachable',
        code: statusCode,
        message: 'the way to the network was refused',
      }),
    )
    sock.ws.on('frame', (frame: Uint8Array | BinaryNode) => {
      // The frames of the handshake are bytes; nodes arrive only after the certificate was checked.
      if (frame instanceof Uint8Array) return
      this.#isReached = true
      this.#liveness.recordFrame()
      // Before the library handles it, and ends the socket.
      this.#streamEnd = readStreamEnd(frame) ?? this.#streamEnd
      const unknown = findUnknownWord(frame)
      if (unknown && this.#isListening) events.onUnknownWord(unknown)
      renameSenderAttribute(frame)
      inbound.registerFrame(frame)
    })
    sock.ws.on('CB:success', ({ attrs }: { attrs: Attributes }) => {
      this.#profileName = readProfileName({ name: attrs.display_name }) || this.#profileName
    })
    sock.ws.on('CB:ack,class:message', ({ attrs }: { attrs: Attributes }) => {
      const code = attrs.error === undefined ? undefined : parseCode(attrs.error)
      const ack = {
        messageid: attrs.id ?? '',
        ...(code !== undefined && { code, ...describeRefusal(attrs) }),
      }
      const { phash, addressing_mode: addressing } = attrs
      if (outgoing.handleAck({ ...ack, phash, addressing }) && this.#isListening) events.onAck(ack)
    })
  }

  #watchConnection(): void {
    const { sock, auth, inbound, options } = this.#deps
    const { events } = options
    auth.onFault((error) => this.#endByStorage(error))
    sock.ev.on('creds.update', ({ me }) => {
      auth.save().catch((error) => this.#endByStorage(error))
      if (!this.#isListening || !this.#isLoggedIn || !me?.name) return
      this.#profileName = readProfileName(me)
      events.onNamed(this.#profileName)
    })
    sock.ev.on('connection.update', ({ connection, qr, lastDisconnect, receivedPendingNotifications }) => {
      if (!this.#isListening) return
      if (qr) this.#pairing.showCodes(qr)
      if (connection === 'open') {
        this.#isLoggedIn = true
        const { id, lid } = this.#getOwnIds()
        events.onOpen({ jid: toGatewayJid(id), lid: toGatewayJid(lid), profileName: this.#profileName })
        this.#reportMessages(inbound.restoreEarlier(), true)
      }
      this.#isCaughtUp ||= receivedPendingNotifications === true
      // The end of the queue may come before the library has logged in.
      if (this.#isLoggedIn && (connection === 'open' || receivedPendingNotifications)) this.#reportCaughtUp()
      if (connection === 'close')
        this.#end(toClosing(lastDisconnect?.error, this.#isReached, this.#streamEnd))
    })
  }

  #reportCaughtUp(): void {
    if (!this.#isCaughtUp) return
    const { options } = this.#deps
    void this.#storing.then(() => this.#isListening && options.events.onCaughtUp())
  }

  #watchMessages(): void {
    const { sock, inbound } = this.#deps
    inbound.onOverdue((messages) => this.#reportMessages(messages))
    sock.ev.on('messages.upsert', ({ messages, type }) => {
      inbound.markReported(messages.map(({ key }) => key))
      this.#reportMessages(messages, type === 'append')
    })
  }

  /** Changes by other devices, by other people and by the network. */
  #watchChanges(): void {
    const { sock, options } = this.#deps
    const { events } = options
    adaptSettings(
      sock,
      (changes) => this.reportSettings(changes),
      (error) => this.logUnreadSetting(error),
    )
    adaptCalls(sock, (call) => this.#isListening && events.onCall(call))
    adaptGroups(sock, (report) => this.#isListening && report(events))
    adaptPresence(sock, (news) => this.#isListening && events.onPresence(news))
    adaptRestrictions(sock, (restriction) => this.#isListening && events.onRestricted(restriction))
    adaptReceipts(
      sock,
      () => this.#getOwnIds(),
      (receipts) => this.#isListening && events.onReceipts(receipts),
    )
  }

  async #reportResent(infos: proto.IWebMessageInfo[]): Promise<void> {
    const { sock, options } = this.#deps
    const past = new PastMessages(sock, [])
    const messages = await Promise.all(infos.map((info) => past.convertResent(info)))
    await options.events.onMessages(messages.filter((message) => message !== undefined))
  }

  #getOwnIds(): OwnIds {
    return this.#deps.sock.authState.creds.me ?? { id: '' }
  }

  /** `isQueued`: they waited for this connection. */
  #reportMessages(reported: WAMessage[], isQueued = false): void {
    if (!this.#isListening) return
    const resent = reported.flatMap((info) =>
      readResent(info, (error) =>
        this.#deps.log.warn({ error }, 'failed to read a message that was sent again'),
      ),
    )
    for (const { key } of resent) if (key?.id) this.#resent.add(key.id)
    // The library reports those too, without the other ids of people, and after their answer counts as stored.
    const infos = reported.filter(({ key }) => !this.#resent.delete(key.id ?? ''))
    const { inbound, migration, options } = this.#deps
    migration.checkMessages(infos)
    const own = this.#getOwnIds()
    const messages = infos
      .map((info) => toNetworkMessage(info, own) ?? this.#countProtocol(info))
      .filter((message) => message !== undefined)
      .map((message) => (isQueued && isOld(message) ? { ...message, late: true } : message))
    for (const { type, messageType: name } of messages)
      if (type === 'unsupported') options.events.onUnknownWord({ kind: 'message', name })
    const reports = messages.length > 0 ? options.events.onMessages(messages) : Promise.resolve()
    const stored = resent.length > 0 ? reports.then(() => this.#reportResent(resent)) : reports
    const keys = reported.filter((info) => !this.#findHistory(info)).map(({ key }) => key)
    const onError = (error: unknown) => this.#endByStorage(error)
    // A message that could not be stored or read stays in the buffer, and the next socket reports it again.
    this.#storing = stored.then(() => inbound.markStored(keys), onError)
    for (const info of infos) {
      const reading = this.#findHistory(info)?.()
      reading?.then((isRead) => isRead && inbound.markStored([info.key]), onError)
    }
  }

  /** How to read the history that the message names; the message stays in the buffer until it is read. */
  #findHistory(info: WAMessage): (() => Promise<boolean>) | undefined {
    const { history, shared } = this.#deps
    if (history.isChunk(info)) return () => history.readChunk(info)
    return shared.isBundle(info) ? () => shared.readBundle(info) : undefined
  }

  #countProtocol({ message }: WAMessage): undefined {
    const name = findProtocolName(message)
    if (name) this.#deps.options.events.onProtocolMessage(name)
  }

  #endByStorage(error: unknown): void {
    this.#endSocket(toStorageClosing(error))
  }

  #endSocket(closing: Closing): void {
    this.#end(closing)
    void this.#deps.sock.end(undefined)
  }

  #end(ended: Closing): void {
    const { auth, outgoing, options, onEnd, classifyEnd } = this.#deps
    const closing = this.#passkey.classifyClosing(ended)
    this.#stopParts()
    outgoing.failWaiting()
    onEnd(closing)
    if (!this.#isListening) return
    this.#isListening = false
    // The listener may open the next socket, so this one's keys have to be on disk before.
    const stored = auth.end().then(() => classifyEnd(closing))
    stored.then(
      (known) => options.events.onClosed(known),
      (error) => options.events.onClosed(toStorageClosing(error)),
    )
  }
}
