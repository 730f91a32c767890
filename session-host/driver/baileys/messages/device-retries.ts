// Sends a message again to a companion that could not read it.

import {
  type BinaryNode,
  type CacheStore,
  jidDecode,
  type proto,
  type WAMessageKey,
  type WASocket,
} from 'baileys'
import { STATUS } from '../../../../shared/jid.ts'
import { inside } from '../connection/ask.ts'
import { relayAgain } from './relay.ts'

/** More often than phones ask. */
const MOST = 5

interface Deps {
  find(key: WAMessageKey): Promise<proto.IMessage | undefined>
  /** How often each device was sent each message again. */
  counts: CacheStore
  failed(thrown: unknown): void
}

/**
 * The library does it, too, but outside groups by a stanza that has the message twice: in the form for one device, and in that for many.
 * The network refuses it as malformed. And to an own device that asks under its LID it does not name the chat: that device would show the
 * message in the chat with ourselves. So these receipts are kept from the library.
 */
export function answerDeviceRetries(sock: WASocket, deps: Deps): void {
  const { ws } = sock
  const emit = ws.emit.bind(ws)
  ws.emit = (event, ...args) => {
    const [node] = args as [BinaryNode]
    if (event !== 'CB:receipt' || !isDeviceRetry(sock, node)) return emit(event, ...args)
    sendAgain(sock, node, deps).catch(deps.failed)
    return true
  }
}

/** To a phone of somebody else the library sends a message as to all. */
function isDeviceRetry({ authState }: WASocket, { attrs }: BinaryNode): boolean {
  if (attrs.type !== 'retry') return false
  if (attrs.from === STATUS) return true
  const from = jidDecode(attrs.from)
  const own = jidDecode(authState.creds.me?.lid)?.user
  return Boolean(from?.device) || (Boolean(attrs.recipient) && from?.server === 'lid' && from.user === own)
}

async function sendAgain(sock: WASocket, node: BinaryNode, { find, counts }: Deps): Promise<void> {
  const { id = '', from = '', participant, recipient } = node.attrs
  const device = participant ?? from
  const count = Number(inside(node, 'retry')?.attrs.count ?? 1)
  const key = `${id}:${device}`
  const before = (await counts.get<number>(key)) ?? 0
  const chat = { remoteJid: recipient ?? from, ...(participant && { participant }) }
  const message = count <= MOST && before < MOST ? await find({ id, ...chat, fromMe: true }) : undefined
  const whose = { to: from, ...(participant && { participant }), ...(recipient && { recipient }) }
  if (message) {
    await counts.set(key, before + 1)
    await relayAgain(sock, message, { id, ...whose }, { device, count })
  }
  await sock.sendNode({ tag: 'ack', attrs: { id, ...whose, class: 'receipt', type: 'retry' } })
}
