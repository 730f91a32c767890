// Messages that a phone writes: texts and files, which may quote another message, locations and contacts.
import { randomBytes } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { formatAddress } from '../network/address.ts'
import type { Network } from '../network/simulated-network.ts'
import type { AddressForm, Message } from '../store/message-table.ts'
import { findAttachment } from './describe-content.ts'

const createSecret = () => ({ messageContextInfo: { messageSecret: randomBytes(32) } })

type Advertisement = { title: string; sourceUrl: string; ctwaClid: string }

export function buildTextMessage(
  network: Network,
  text: string,
  form: AddressForm,
  { quoted, advertisement }: { quoted?: Message | undefined; advertisement?: Advertisement | undefined },
): proto.IMessage {
  if (!quoted && !advertisement) return { conversation: text, ...createSecret() }
  const contextInfo = {
    ...(quoted && buildQuote(network, form, quoted)),
    ...(advertisement && { externalAdReply: advertisement }),
  }
  return { extendedTextMessage: { text, contextInfo }, ...createSecret() }
}

export function buildLocationMessage(place: {
  latitude: number
  longitude: number
  name: string
}): proto.IMessage {
  const { latitude: degreesLatitude, longitude: degreesLongitude, name } = place
  return { locationMessage: { degreesLatitude, degreesLongitude, name }, ...createSecret() }
}

export const buildContactMessage = (card: { displayName: string; vcard: string }): proto.IMessage => ({
  contactMessage: card,
  ...createSecret(),
})

export function buildFileMessage(
  network: Network,
  attached: proto.IMessage,
  form: AddressForm,
  quoted?: Message,
): proto.IMessage {
  const file = findAttachment(attached)?.file
  if (quoted !== undefined && file !== undefined) file.contextInfo = buildQuote(network, form, quoted)
  return { ...attached, ...createSecret() }
}

function buildQuote(network: Network, form: AddressForm, quoted: Message): proto.IContextInfo {
  const author = network.store.accounts.find(quoted.sender)
  return {
    stanzaId: quoted.id,
    // What a companion wrote the network never read: such a message is quoted by its id alone.
    quotedMessage: quoted.content ? proto.Message.decode(quoted.content) : { conversation: '' },
    ...(author && { participant: formatAddress(author, form) }),
  }
}
