// A phone's changes of a sent message: reactions, edits, deletions.
import { proto } from '../codec/protobuf.ts'
import { formatAddress } from '../network/address.ts'
import { type Chat, findChat, isGroupChat } from '../network/messages/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Message } from '../store/message-table.ts'
import { sendFromPhone } from './send-from-phone.ts'

export type Change = 'react' | 'edit' | 'revoke' | 'pin'

/** The mark of the change on the envelope; a deletion by an admin has a different one. */
const EDIT_MARK: Record<Change, string | undefined> = {
  react: undefined,
  edit: '1',
  pin: '2',
  revoke: '7',
}
const REVOKED_BY_ADMIN = '8'

/** `seconds`: how long a message is pinned; 0 unpins it. */
export async function sendChange(
  network: Network,
  by: Account,
  target: Message,
  { kind, text = '', seconds = 0 }: { kind: Change; text?: string; seconds?: number },
) {
  const own = by.number === target.sender
  const author = network.store.accounts.find(target.sender)
  const chat = findChat(network, target)
  if (author === undefined || chat === undefined) throw new Error(`message ${target.id} has no chat any more`)
  const to = own || isGroupChat(chat) ? chat : author
  const key = { fromMe: own, id: target.id, ...buildTargetKey(to, author, target) }
  return sendFromPhone(network, {
    from: by,
    to,
    form: target.form,
    message: kind === 'pin' ? buildPin(key, seconds) : buildChange(kind, text, key),
    type: kind === 'react' ? 'reaction' : 'text',
    edit: kind === 'revoke' && !own ? REVOKED_BY_ADMIN : EDIT_MARK[kind],
  })
}

function buildTargetKey(to: Chat, author: Account, { form }: Message): proto.IMessageKey {
  if (!isGroupChat(to)) return { remoteJid: formatAddress(to, form) }
  return { remoteJid: to.jid, participant: formatAddress(author, form) }
}

function buildPin(key: proto.IMessageKey, seconds: number): proto.IMessage {
  const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type
  const type = seconds > 0 ? PIN_FOR_ALL : UNPIN_FOR_ALL
  return {
    pinInChatMessage: { key, type, senderTimestampMs: Date.now() },
    messageContextInfo: { messageAddOnDurationInSecs: seconds },
  }
}

/** The key names the target from the writer's view. */
function buildChange(kind: Exclude<Change, 'pin'>, text: string, key: proto.IMessageKey): proto.IMessage {
  const { Type } = proto.Message.ProtocolMessage
  switch (kind) {
    case 'react':
      return { reactionMessage: { key, text, senderTimestampMs: Date.now() } }
    case 'edit': {
      const editedMessage = { conversation: text }
      const protocolMessage = { key, type: Type.MESSAGE_EDIT, editedMessage, timestampMs: Date.now() }
      return { editedMessage: { message: { protocolMessage } } }
    }
    case 'revoke':
      return { protocolMessage: { key, type: Type.REVOKE } }
  }
}
