// The event adapter converts the library's events of one socket into ours, until it has ended or is stopped.

import type { IncomingMessage } from 'node:http'
import type { BinaryNode, WAMessage, WASocket } from 'baileys'
import { boundedName } from '../../../../shared/bounds.ts'
import type { Clock } from '../../../clock.ts'
import type { Log } from '../../../log.ts'
import type { Closing, ConnectOptions, SendAssertion, SettingChange } from '../../driver.ts'
import { adaptCalls } from '../calls.ts'
import { adaptGroups } from '../groups/group-events.ts'
import type { History } from '../history/history.ts'
import { inward } from '../ids.ts'
import type { Auth } from '../keys/auth-state.ts'
import { type Me, toMessage } from '../messages/inbound.ts'
import type { InboundBuffer } from '../messages/inbound-buffer.ts'
import type { Outgoing } from '../messages/outgoing.ts'
import { adaptReceipts } from '../messages/receipts.ts'
import { describeRefusal } from '../messages/refusals.ts'
import { adaptSettings } from '../settings/setting-events.ts'
import { type LastWord, readLastWord, toClosing } from './closing.ts'
import { type DeviceLabel, platformType } from './device-label.ts'
import { findUnknownWord } from './known-words.ts'
import type { LidMigration } from './lid-migration.ts'
import { watchLiveness } from './liveness.ts'
import { adaptPairing } from './pairing.ts'
import { adaptPasskey } from './passkey.ts'
import { adaptRestrictions } from './restrictions.ts'

const storageFault = (thrown: unknown): Closing => ({ kind: 'storage', code: 0, message: String(thrown) })

/** Until there is a name, the library gives a placeholder or the number itself. */
const ownName = (me: { name?: string | undefined } | undefined): string =>
  me?.name && me.name !== '~' && !/^\+?\d+$/.test(me.name) ? boundedName(me.name) : ''

export interface EventAdapter {
  /** The account's own name; empty while unknown. */
  name(): string
  /** We have renamed the account ourselves. */
  named(name: string): void
  /** Reports setting changes that an answer of the network contained. */
  settings(changes: SettingChange[]): void
  /** Logs a setting change that could not be read. */
  unreadSetting(thrown: unknown): void
  sendAssertion: SendAssertion
  stop(): void
}

interface Deps {
  sock: WASocket
  auth: Auth
  inbound: InboundBuffer
  outgoing: Outgoing
  migration: Pick<LidMigration, 'readMessages'>
  history: History
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
  let said: LastWord | undefined

  const end = (ended: Closing) => {
    const closing = passkey.judge(ended)
    liveness.stop()
    pairing.stop()
    passkey.stop()
    history.stop()
    outgoing.lost()
    onEnd(closing)
    if (!listening) return
    listening = false
    // The listener may open the next socket, so this one's keys have to be on disk before.
    auth.end().then(
      () => events.closed(closing),
      (thrown) => events.closed(storageFault(thrown)),
    )
  }
  const storageFailed = (thrown: unknown) => {
    end(storageFault(thrown))
    void sock.end(undefined)
  }
  const liveness = watchLiveness(clock, (why) => {
    end({ kind: reached ? 'lost' : 'unreachable', code: 408, message: why })
    void sock.end(undefined)
  })
  outgoing.onEnd(liveness.sent)
  const me = (): Me => sock.authState.creds.me ?? { id: '' }
  let profileName = ownName(sock.authState.creds.me)
  const account = () => {
    const { id, lid } = me()
    return { jid: inward(id), lid: inward(lid), profileName }
  }
  const reportMessages = (infos: WAMessage[]) => {
    if (!listening) return
    migration.readMessages(infos)
    const messages = infos.map((info) => toMessage(info, me())).filter((message) => message !== undefined)
    const stored = messages.length > 0 ? events.messages(messages) : Promise.resolve()
    const keys = infos.filter((info) => !history.isChunk(info)).map(({ key }) => key)
    // What could not be stored or read stays in the buffer, and the next socket reports it again.
    stored.then(() => inbound.stored(keys), storageFailed)
    for (const info of infos.filter(history.isChunk))
      history.take(info).then((isTaken) => isTaken && inbound.stored([info.key]), storageFailed)
  }
  const isListening = () => listening
  const give = (closing: Closing) => {
    end(closing)
    void sock.end(undefined)
  }
  const pairing = adaptPairing({ sock, options, device, clock, isListening, onEnd: give })
  const passkey = adaptPasskey({
    ...{ sock, deviceType: platformType(device), clock, log, isListening },
    onAsked: pairing.stop,
    onStep: (step) => events.passkey(step),
    onEnd: give,
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
    liveness.heard()
    // Before the library hears of it, and ends the socket.
    said = readLastWord(frame) ?? said
    const unknown = findUnknownWord(frame)
    if (unknown && listening) events.unknownWord(unknown)
    inbound.arriving(frame)
  })
  // Not stored in `creds.me`: if a name is there, the library reports the account as online at each change of `creds`.
  sock.ws.on('CB:success', ({ attrs }: { attrs: Record<string, string> }) => {
    profileName = ownName({ name: attrs.display_name }) || profileName
  })
  sock.ws.on('CB:ack,class:message', ({ attrs }: { attrs: Record<string, string> }) => {
    const code = attrs.error === undefined ? undefined : Number(attrs.error)
    const ack = { messageid: attrs.id ?? '', ...(code !== undefined && { code, ...describeRefusal(attrs) }) }
    const { phash, addressing_mode: addressing } = attrs
    if (outgoing.acknowledged({ ...ack, phash, addressing }) && listening) events.ack(ack)
  })
  auth.onFault(storageFailed)
  sock.ev.on('creds.update', ({ me: named }) => {
    auth.save().catch(storageFailed)
    if (!listening || !opened || !named?.name) return
    profileName = ownName(named)
    events.named(profileName)
  })
  sock.ev.on('connection.update', ({ connection, qr, lastDisconnect }) => {
    if (!listening) return
    if (qr) pairing.show(qr)
    if (connection === 'open') {
      opened = true
      events.open(account())
      reportMessages(inbound.leftOver())
    }
    if (connection === 'close') end(toClosing(lastDisconnect?.error, reached, said))
  })
  inbound.onOverdue(reportMessages)
  sock.ev.on('messages.upsert', ({ messages }) => {
    inbound.handedOver(messages.map(({ key }) => key))
    reportMessages(messages)
  })
  const unreadSetting = (thrown: unknown) =>
    log.warn({ err: thrown }, 'a setting that the network told of is not known')
  const settings = (changes: SettingChange[]) => void (listening && events.settings(changes))
  adaptSettings(sock, settings, unreadSetting)
  adaptCalls(sock, (call) => listening && events.call(call))
  adaptGroups(sock, (call) => listening && call(events))
  adaptRestrictions(sock, (restriction) => listening && events.restricted(restriction))
  adaptReceipts(sock, me, (receipts) => listening && events.receipts(receipts))

  return {
    name: () => profileName,
    named(name) {
      profileName = name
      if (listening) events.named(name)
    },
    settings,
    unreadSetting,
    sendAssertion: passkey.send,
    stop() {
      liveness.stop()
      pairing.stop()
      passkey.stop()
      history.stop()
      listening = false
    },
  }
}
