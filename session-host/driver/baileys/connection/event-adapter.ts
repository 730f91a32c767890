// The event adapter converts the library's events of one socket into ours, until it has ended or is stopped.

import type { IncomingMessage } from 'node:http'
import type { BinaryNode, WAMessage, WASocket } from 'baileys'
import { truncateName } from '../../../../shared/truncation.ts'
import type { Log } from '../../../host-log.ts'
import type { Clock } from '../../../machine-clock.ts'
import type { Closing, ConnectOptions, SendAssertion, SettingChange } from '../../driver.ts'
import { adaptCalls } from '../call-signaling.ts'
import { adaptGroups } from '../groups/group-events.ts'
import type { HistoryReader } from '../history/history-reader.ts'
import { toGatewayJid } from '../ids.ts'
import type { Auth } from '../keys/auth-state.ts'
import type { InboundBuffer } from '../messages/inbound-buffer.ts'
import { type OwnIds, toNetworkMessage } from '../messages/inbound-messages.ts'
import type { Outgoing } from '../messages/outgoing-messages.ts'
import { adaptReceipts } from '../messages/receipt-adapter.ts'
import { describeRefusal } from '../messages/refusals.ts'
import { adaptSettings } from '../settings/setting-events.ts'
import { readStreamEnd, type StreamEnd, toClosing } from './closing.ts'
import { type DeviceLabel, toPlatformType } from './device-label.ts'
import { findUnknownWord } from './known-words.ts'
import type { LidMigration } from './lid-migration-state.ts'
import { watchLiveness } from './liveness.ts'
import { adaptPairing } from './pairing-codes.ts'
import { adaptPasskey } from './passkey-linking.ts'
import { adaptRestrictions } from './restrictions.ts'

const toStorageClosing = (error: unknown): Closing => ({ kind: 'storage', code: 0, message: String(error) })

/** Until there is a name, the library gives a placeholder or the number itself. */
const readProfileName = (me: { name?: string | undefined } | undefined): string =>
  me?.name && me.name !== '~' && !/^\+?\d+$/.test(me.name) ? truncateName(me.name) : ''

export interface EventAdapter {
  /** The account's own name; empty while unknown. */
  getProfileName(): string
  /** We have renamed the account ourselves. */
  setProfileName(name: string): void
  /** Reports setting changes that an answer of the network contained. */
  reportSettings(changes: SettingChange[]): void
  /** Logs a setting change that could not be read. */
  logUnreadSetting(error: unknown): void
  sendAssertion: SendAssertion
  stop(): void
}

interface Deps {
  sock: WASocket
  auth: Auth
  inbound: InboundBuffer
  outgoing: Outgoing
  migration: Pick<LidMigration, 'checkMessages'>
  history: HistoryReader
  options: ConnectOptions
  device: DeviceLabel
  clock: Clock
  log: Log
  /** Called when the socket has ended, perhaps more than once. */
  onEnd(closing: Closing): void
}

export function adaptEvents({
  sock,
  auth,
  inbound,
  outgoing,
  migration,
  history,
  options,
  device,
  clock,
  log,
  onEnd,
}: Deps): EventAdapter {
  const { events } = options
  let listening = true
  let reached = false
  let opened = false
  let said: StreamEnd | undefined

  const end = (ended: Closing) => {
    const closing = passkey.classifyClosing(ended)
    liveness.stop()
    pairing.stopCodes()
    passkey.stop()
    history.stop()
    outgoing.failWaiting()
    onEnd(closing)
    if (!listening) return
    listening = false
    // The listener may open the next socket, so this one's keys have to be on disk before.
    auth.end().then(
      () => events.onClosed(closing),
      (error) => events.onClosed(toStorageClosing(error)),
    )
  }
  const endByStorage = (error: unknown) => {
    end(toStorageClosing(error))
    void sock.end(undefined)
  }
  const liveness = watchLiveness(clock, (why) => {
    end({ kind: reached ? 'lost' : 'unreachable', code: 408, message: why })
    void sock.end(undefined)
  })
  outgoing.onEnd(liveness.recordSend)
  const getMe = (): OwnIds => sock.authState.creds.me ?? { id: '' }
  let profileName = readProfileName(sock.authState.creds.me)
  const getAccount = () => {
    const { id, lid } = getMe()
    return { jid: toGatewayJid(id), lid: toGatewayJid(lid), profileName }
  }
  const reportMessages = (infos: WAMessage[]) => {
    if (!listening) return
    migration.checkMessages(infos)
    const messages = infos
      .map((info) => toNetworkMessage(info, getMe()))
      .filter((message) => message !== undefined)
    const stored = messages.length > 0 ? events.onMessages(messages) : Promise.resolve()
    const keys = infos.filter((info) => !history.isChunk(info)).map(({ key }) => key)
    // What could not be stored or read stays in the buffer, and the next socket reports it again.
    stored.then(() => inbound.markStored(keys), endByStorage)
    for (const info of infos.filter(history.isChunk))
      history.readChunk(info).then((isTaken) => isTaken && inbound.markStored([info.key]), endByStorage)
  }
  const isListening = () => listening
  const endSocket = (closing: Closing) => {
    end(closing)
    void sock.end(undefined)
  }
  const pairing = adaptPairing({ sock, options, device, clock, isListening, onEnd: endSocket })
  const passkey = adaptPasskey({
    sock,
    deviceType: toPlatformType(device),
    clock,
    log,
    isListening,
    onRequested: pairing.stopCodes,
    onStep: (step) => events.onPasskey(step),
    onEnd: endSocket,
  })

  // The library ignores a response that is no WebSocket upgrade, and waits until its timeout.
  sock.ws.on('unexpected-response', (_: unknown, { statusCode = 0 }: IncomingMessage) => {
    end({ kind: 'unreachable', code: statusCode, message: 'the way to the network was refused' })
    void sock.end(undefined)
  })
  sock.ws.on('frame', (frame: Uint8Array | BinaryNode) => {
    // The frames of the handshake are bytes; nodes arrive only after the certificate was checked.
    if (frame instanceof Uint8Array) return
    reached = true
    liveness.recordFrame()
    // Before the library hears of it, and ends the socket.
    said = readStreamEnd(frame) ?? said
    const unknown = findUnknownWord(frame)
    if (unknown && listening) events.onUnknownWord(unknown)
    inbound.registerFrame(frame)
  })
  // Not stored in `creds.me`: if a name is there, the library reports the account as online at each change of `creds`.
  sock.ws.on('CB:success', ({ attrs }: { attrs: Record<string, string> }) => {
    profileName = readProfileName({ name: attrs.display_name }) || profileName
  })
  sock.ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) => {
    const code = attrs.error === undefined ? undefined : Number(attrs.error)
    const ack = { messageid: attrs.id ?? '', ...(code !== undefined && { code, ...describeRefusal(attrs) }) }
    const { phash, addressing_mode: addressing } = attrs
    if (outgoing.handleAck({ ...ack, phash, addressing }) && listening) events.onAck(ack)
  })
  auth.onFault(endByStorage)
  sock.ev.on('creds.update', ({ me: named }) => {
    auth.save().catch(endByStorage)
    if (!listening || !opened || !named?.name) return
    profileName = readProfileName(named)
    events.onNamed(profileName)
  })
  sock.ev.on('connection.update', ({ connection, qr, lastDisconnect }) => {
    if (!listening) return
    if (qr) pairing.showCodes(qr)
    if (connection === 'open') {
      opened = true
      events.onOpen(getAccount())
      reportMessages(inbound.restoreEarlier())
    }
    if (connection === 'close') end(toClosing(lastDisconnect?.error, reached, said))
  })
  inbound.onOverdue(reportMessages)
  sock.ev.on('messages.upsert', ({ messages }) => {
    inbound.markReported(messages.map(({ key }) => key))
    reportMessages(messages)
  })
  const logUnreadSetting = (error: unknown) =>
    log.warn({ err: error }, 'a setting that the network told of is not known')
  const reportSettings = (changes: SettingChange[]) => void (listening && events.onSettings(changes))
  adaptSettings(sock, reportSettings, logUnreadSetting)
  adaptCalls(sock, (call) => listening && events.onCall(call))
  adaptGroups(sock, (call) => listening && call(events))
  adaptRestrictions(sock, (restriction) => listening && events.onRestricted(restriction))
  adaptReceipts(sock, getMe, (receipts) => listening && events.onReceipts(receipts))

  return {
    getProfileName: () => profileName,
    setProfileName(name) {
      profileName = name
      if (listening) events.onNamed(name)
    },
    reportSettings,
    logUnreadSetting,
    sendAssertion: passkey.send,
    stop() {
      liveness.stop()
      pairing.stopCodes()
      passkey.stop()
      history.stop()
      listening = false
    },
  }
}
