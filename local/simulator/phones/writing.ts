// What a phone writes: texts, and texts that answer another message.
import { randomBytes } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { addressOf } from '../network/address.ts'
import type { Network } from '../network/network.ts'
import type { Form, Message } from '../store/messages.ts'

export function textMessage(network: Network, text: string, form: Form, quoted?: Message): proto.IMessage {
  const messageContextInfo = { messageSecret: randomBytes(32) }
  if (quoted === undefined) return { conversation: text, messageContextInfo }
  const author = network.store.accounts.find(quoted.sender)
  const contextInfo = {
    stanzaId: quoted.id,
    // What a companion wrote the network never read: such a message is quoted by its id alone.
    quotedMessage: quoted.content ? proto.Message.decode(quoted.content) : { conversation: '' },
    ...(author && { participant: addressOf(author, form) }),
  }
  return { extendedTextMessage: { text, contextInfo }, messageContextInfo }
}
