// Messages that the phone sends again because this device could not decrypt them: asked for, and read from its answer.

import { normalizeMessageContent, proto, type WAMessage, type WASocket } from 'baileys'
import type { OwnKey } from '../../driver.ts'
import { toNetworkId } from '../../message-names.ts'
import { toNetworkJid } from '../ids.ts'

/** `chat`: as the network addresses it. */
export function requestPlaceholder(
  sock: WASocket,
  chat: string,
  { messageid, fromMe, isGroup, sender }: OwnKey,
): Promise<string> {
  const { PLACEHOLDER_MESSAGE_RESEND } = proto.Message.PeerDataOperationRequestType
  const participant = isGroup ? { participant: toNetworkJid(sender) } : {}
  const messageKey = { remoteJid: chat, id: toNetworkId(messageid), fromMe, ...participant }
  return sock.sendPeerDataOperationMessage({
    placeholderMessageResendRequest: [{ messageKey }],
    peerDataOperationRequestType: PLACEHOLDER_MESSAGE_RESEND,
  })
}

/** Only the account's own phone may send them. Empty for a message that is no such answer. `onUnread`: for what is no message. */
export function readResent(
  { key, message }: WAMessage,
  onUnread: (error: unknown) => void,
): proto.IWebMessageInfo[] {
  const answer = normalizeMessageContent(message ?? undefined)?.protocolMessage
    ?.peerDataOperationRequestResponseMessage
  if (!key.fromMe || !answer) return []
  return (answer.peerDataOperationResult ?? []).flatMap(({ placeholderMessageResendResponse: resent }) => {
    const bytes = resent?.webMessageInfoBytes
    if (!bytes?.length) return []
    try {
      return [proto.WebMessageInfo.decode(bytes)]
    } catch (error) {
      onUnread(error)
      return []
    }
  })
}
