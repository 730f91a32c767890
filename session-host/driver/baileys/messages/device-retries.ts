// Sends a message again to a device that could not read it, and to no other.

import { STATUS_JID } from '@msgnet/shared/jid.ts'
import {
  type BinaryNode,
  type CacheStore,
  isJidGroup,
  jidDecode,
  type proto,
  type WAMessageKey,
  type WASocket,
} from 'baileys'
import { findNode } from '../connection/network-query.ts'
import { relayToDevice } from './relay.ts'

/** More often than phones request it. */
const MAX_RETRIES = 5

interface Deps {
  findMessage(key: WAMessageKey): Promise<proto.IMessage | undefined>
  /** How often each device was sent each message again. */
  retryCounts: CacheStore
  onError(error: unknown): void
}

/**
 * The library does it, too, but when a member's phone requests it, it sends the message to the whole group, where it comes up as new in
 * chats that were cleared; and outside groups by a stanza that has the message twice: in the form for one device, and in that for many.
 * The network refuses it as malformed. And to an own device that requests it under its LID it does not name the chat: that device would
 * show the message in the chat with ourselves. So the library does not get these receipts.
 */
export function handleDeviceRetries(sock: WASocket, deps: Deps): void {
  const { ws } = sock
  const emit = ws.emit.bind(ws)
  ws.emit = (event, ...args) => {
    const [node] = args as [BinaryNode]
    if (event !== 'CB:receipt' || !isDeviceRetry(sock, node)) return emit(event, ...args)
    resendMessage(sock, node, deps).catch(deps.onError)
    return true
  }
}

/** To the phone of another person in a chat of two the library sends the message as to all devices. */
function isDeviceRetry({ authState }: WASocket, { attrs }: BinaryNode): boolean {
  if (attrs.type !== 'retry') return false
  if (attrs.from === STATUS_JID || isJidGroup(attrs.from)) return true
  const from = jidDecode(attrs.from)
  const own = jidDecode(authState.creds.me?.lid)?.user
  return Boolean(from?.device) || (Boolean(attrs.recipient) && from?.server === 'lid' && from.user === own)
}

async function resendMessage(
  sock: WASocket,
  node: BinaryNode,
  { findMessage, retryCounts }: Deps,
): Promise<void> {
  const { id = '', from = '', participant, recipient } = node.attrs
  const device = participant ?? from
  const count = Number(findNode(node, 'retry')?.attrs.count ?? 1)
  const key = `${id}:${device}`
  const before = (await retryCounts.get<number>(key)) ?? 0
  const chat = { remoteJid: recipient ?? from, ...(participant && { participant }) }
  const message =
    count <= MAX_RETRIES && before < MAX_RETRIES
      ? await findMessage({ id, ...chat, fromMe: true })
      : undefined
  const addresses = { to: from, ...(participant && { participant }), ...(recipient && { recipient }) }
  if (message) {
    await retryCounts.set(key, before + 1)
    await relayToDevice(sock, message, { id, ...addresses }, { device, count })
  }
  await sock.sendNode({ tag: 'ack', attrs: { id, ...addresses, class: 'receipt', type: 'retry' } })
}
