// Messages that a phone writes: texts and files, which may quote another message, locations and contacts.
import { randomBytes } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { formatAddress } from '../network/address.ts'
import type { Network } from '../network/simulated-network.ts'
import type { AddressForm, Message } from '../store/message-table.ts'
import { findAttachment } from './describe-content.ts'
import { buildMentions, type Mentions, writeMentions } from './mentions.ts'

const createSecret = () => ({ messageContextInfo: { messageSecret: randomBytes(32) } })

interface TextOptions {
  quoted?: Message | undefined
  advertisement?: Advertisement | undefined
  mentions?: Mentions | undefined
}

type Advertisement = { title: string; sourceUrl: string; ctwaClid: string }

export function buildTextMessage(
  network: Network,
  text: string,
  form: AddressForm,
  { quoted, advertisement, mentions }: TextOptions,
): proto.IMessage {
  if (!quoted && !advertisement && !mentions) return { conversation: text, ...createSecret() }
  const contextInfo = {
    ...(quoted && buildQuote(network, form, quoted)),
    ...(mentions && buildMentions(form, mentions)),
    ...(advertisement && { externalAdReply: advertisement }),
  }
  const words = mentions ? writeMentions(text, form, mentions) : text
  return { extendedTextMessage: { text: words, contextInfo }, ...createSecret() }
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

export const buildAlbumMessage = (counts: { images: number; videos: number }): proto.IMessage => ({
  albumMessage: { expectedImageCount: counts.images, expectedVideoCount: counts.videos },
  ...createSecret(),
})

export const buildEventMessage = (event: {
  name: string
  description: string
  startTime: number
  place: string
}): proto.IMessage => ({
  eventMessage: {
    name: event.name,
    description: event.description,
    startTime: Math.floor(event.startTime / 1000),
    location: { name: event.place },
  },
  ...createSecret(),
})

/** A message of any kind: `kind` names its field, and `fields` are what is in it. */
export function buildKindMessage(kind: string, fields: string | Record<string, unknown>): proto.IMessage {
  return { ...createSecret(), ...proto.Message.fromObject({ [kind]: fields }) }
}

/** Whether a message has such a field. */
export const isKind = (kind: string): boolean => Object.hasOwn(proto.Message.prototype, kind)

export function buildFileMessage(
  network: Network,
  attached: proto.IMessage,
  form: AddressForm,
  { quoted, mentions, album }: Pick<TextOptions, 'quoted' | 'mentions'> & { album?: Message | undefined },
): proto.IMessage {
  const file = findAttachment(attached)?.file
  const { messageContextInfo } = createSecret()
  const part = album && {
    messageAssociation: {
      associationType: proto.MessageAssociation.AssociationType.MEDIA_ALBUM,
      parentMessageKey: { fromMe: true, id: album.id },
    },
  }
  const context = { messageContextInfo: { ...messageContextInfo, ...part } }
  if (file === undefined) return { ...attached, ...context }
  if (quoted ?? mentions)
    file.contextInfo = {
      ...(quoted && buildQuote(network, form, quoted)),
      ...(mentions && buildMentions(form, mentions)),
    }
  if (mentions && 'caption' in file && file.caption)
    file.caption = writeMentions(file.caption, form, mentions)
  return { ...attached, ...context }
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
