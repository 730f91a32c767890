// Messages that a phone writes: texts and files, which may quote another message, locations and contacts.
import { randomBytes } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { addressOf } from '../network/address.ts'
import type { Network } from '../network/network.ts'
import type { Form, Message } from '../store/messages.ts'
import { attachmentIn } from './content.ts'

const secret = () => ({ messageContextInfo: { messageSecret: randomBytes(32) } })

export function textMessage(network: Network, text: string, form: Form, quoted?: Message): proto.IMessage {
  if (quoted === undefined) return { conversation: text, ...secret() }
  return { extendedTextMessage: { text, contextInfo: quoting(network, form, quoted) }, ...secret() }
}

export function placeMessage(place: { latitude: number; longitude: number; name: string }): proto.IMessage {
  const { latitude: degreesLatitude, longitude: degreesLongitude, name } = place
  return { locationMessage: { degreesLatitude, degreesLongitude, name }, ...secret() }
}

export const contactMessage = (card: { displayName: string; vcard: string }): proto.IMessage => ({
  contactMessage: card,
  ...secret(),
})

export function fileMessage(
  network: Network,
  attached: proto.IMessage,
  form: Form,
  quoted?: Message,
): proto.IMessage {
  const file = attachmentIn(attached)?.file
  if (quoted !== undefined && file !== undefined) file.contextInfo = quoting(network, form, quoted)
  return { ...attached, ...secret() }
}

function quoting(network: Network, form: Form, quoted: Message): proto.IContextInfo {
  const author = network.store.accounts.find(quoted.sender)
  return {
    stanzaId: quoted.id,
    // What a companion wrote the network never read: such a message is quoted by its id alone.
    quotedMessage: quoted.content ? proto.Message.decode(quoted.content) : { conversation: '' },
    ...(author && { participant: addressOf(author, form) }),
  }
}
