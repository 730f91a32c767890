// Sends a message again to another device of our own account that could not read it.

import { type BinaryNode, jidDecode, type proto, type WAMessageKey, type WASocket } from 'baileys'
import { inside } from '../connection/ask.ts'
import { envelopeOf } from './encoding.ts'

/** More often than phones ask. */
const MOST = 5

/**
 * The library does it, too, but to a device that asks under its LID it does not name the chat: it compares with our number only. The
 * other device would then show the message in the chat with ourselves. So these receipts are kept from the library.
 */
export function answerOwnRetries(
  sock: WASocket,
  find: (key: WAMessageKey) => Promise<proto.IMessage | undefined>,
  failed: (thrown: unknown) => void,
): void {
  const { ws } = sock
  const emit = ws.emit.bind(ws)
  ws.emit = (event, ...args) => {
    const [node] = args as [BinaryNode]
    if (event !== 'CB:receipt' || !isOwnRetry(sock, node)) return emit(event, ...args)
    sendAgain(sock, node, find).catch(failed)
    return true
  }
}

function isOwnRetry({ authState }: WASocket, { attrs }: BinaryNode): boolean {
  const own = jidDecode(authState.creds.me?.lid)?.user
  const from = jidDecode(attrs.from)
  return attrs.type === 'retry' && Boolean(attrs.recipient) && from?.server === 'lid' && from.user === own
}

async function sendAgain(
  sock: WASocket,
  node: BinaryNode,
  find: (key: WAMessageKey) => Promise<proto.IMessage | undefined>,
): Promise<void> {
  const { id = '', from = '', recipient = '' } = node.attrs
  const count = Number(inside(node, 'retry')?.attrs.count ?? 1)
  const message = count > MOST ? undefined : await find({ id, remoteJid: recipient, fromMe: true })
  if (message) {
    await sock.assertSessions([from], true)
    await sock.relayMessage(recipient, message, {
      messageId: id,
      participant: { jid: from, count },
      additionalAttributes: { ...envelopeOf(message), recipient },
    })
  }
  await sock.sendNode({ tag: 'ack', attrs: { id, to: from, recipient, class: 'receipt', type: 'retry' } })
}
