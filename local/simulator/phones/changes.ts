// What a phone does to a message that was sent: reacts to it, edits it, takes it back.
import { proto } from '../codec/protobuf.ts'
import { addressOf } from '../network/address.ts'
import type { Network } from '../network/network.ts'
import type { Account } from '../store/accounts.ts'
import type { Message } from '../store/messages.ts'
import { sendFromPhone } from './sending.ts'

type Change = 'react' | 'edit' | 'revoke'

/** How the envelope marks the kind of change. */
const EDIT_MARK: Record<Change, string | undefined> = { react: undefined, edit: '1', revoke: '7' }

export async function change(network: Network, by: Account, target: Message, kind: Change, text: string) {
  const own = by.number === target.sender
  const other = network.store.accounts.find(own ? target.chat : target.sender)
  if (other === undefined) throw new Error(`message ${target.id} has lost its other side`)
  return sendFromPhone(network, {
    from: by,
    to: other,
    form: target.form,
    message: written(kind, text, { remoteJid: addressOf(other, target.form), fromMe: own, id: target.id }),
    type: kind === 'react' ? 'reaction' : 'text',
    edit: EDIT_MARK[kind],
  })
}

/** The key names the target as the one who writes sees it. */
function written(kind: Change, text: string, key: proto.IMessageKey): proto.IMessage {
  const { Type } = proto.Message.ProtocolMessage
  switch (kind) {
    case 'react':
      return { reactionMessage: { key, text, senderTimestampMs: Date.now() } }
    case 'edit':
      return {
        protocolMessage: {
          key,
          type: Type.MESSAGE_EDIT,
          editedMessage: { conversation: text },
          timestampMs: Date.now(),
        },
      }
    case 'revoke':
      return { protocolMessage: { key, type: Type.REVOKE } }
  }
}
