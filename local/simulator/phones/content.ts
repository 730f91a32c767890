// What a decrypted message says, in the words of the control interface.
import { proto } from '../codec/protobuf.ts'
import type { Kind } from '../media/sealing.ts'

export type Content = { type: string; text: string; caption?: string; target?: string; viewOnce?: true }
/** `quoted`: the id of the message that is answered; `mentions`: addresses of who is named. */
export type Saying = { quoted?: string; mentions?: string[] }

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'] as const satisfies Kind[]

/** Undefined for messages between devices that show nothing to a person. */
export function describe(wrapped: proto.IMessage): Content | undefined {
  const message = unwrapped(wrapped)
  const { conversation, extendedTextMessage, reactionMessage, protocolMessage } = message
  if (protocolMessage) return describeChange(protocolMessage)
  if (conversation) return { type: 'text', text: conversation }
  if (extendedTextMessage) return { type: 'text', text: extendedTextMessage.text ?? '' }
  if (reactionMessage) return withTarget('reaction', reactionMessage.text, reactionMessage.key)
  const { locationMessage, liveLocationMessage, contactMessage, contactsArrayMessage } = message
  const place = locationMessage?.name ?? liveLocationMessage?.caption
  if (locationMessage ?? liveLocationMessage) return { type: 'location', text: place ?? '' }
  const contact = contactMessage ?? contactsArrayMessage
  if (contact) return { type: 'contact', text: contact.displayName ?? '' }
  return describeMedia(message)
}

function describeMedia(message: proto.IMessage): Content | undefined {
  const found = attachmentIn(message)
  if (found === undefined) return undefined
  const { kind: type, file } = found
  const caption = 'caption' in file ? file.caption : undefined
  const once = 'viewOnce' in file && file.viewOnce ? ({ viewOnce: true } as const) : {}
  return caption ? { type, text: '', caption, ...once } : { type, text: '', ...once }
}

type File =
  | proto.Message.IImageMessage
  | proto.Message.IVideoMessage
  | proto.Message.IAudioMessage
  | proto.Message.IDocumentMessage
  | proto.Message.IStickerMessage

/** What a message says of the file that belongs to it. */
export function attachmentIn(wrapped: proto.IMessage): { kind: Kind; file: File } | undefined {
  const message = unwrapped(wrapped)
  if (message.ptvMessage) return { kind: 'video', file: message.ptvMessage }
  for (const kind of MEDIA) {
    const file = message[`${kind}Message`]
    if (file) return { kind, file }
  }
  return undefined
}

function describeChange({ type, key, editedMessage }: proto.Message.IProtocolMessage): Content | undefined {
  const { Type } = proto.Message.ProtocolMessage
  if (type === Type.REVOKE) return withTarget('revoke', '', key)
  if (type !== Type.MESSAGE_EDIT) return undefined
  const now = editedMessage && describe(editedMessage)
  return withTarget('edit', now?.caption ?? now?.text, key)
}

function withTarget(
  type: string,
  text: string | null | undefined,
  key: proto.IMessageKey | null | undefined,
) {
  return { type, text: text ?? '', target: key?.id ?? '' }
}

/** What a message says beside its content; nothing of it is in those that only change another one. */
export function sayingOf(wrapped: proto.IMessage): Saying {
  for (const part of Object.values(unwrapped(wrapped))) {
    const context: proto.IContextInfo | undefined = part?.contextInfo
    if (!context) continue
    const { stanzaId, mentionedJid } = context
    return { ...(stanzaId && { quoted: stanzaId }), ...(mentionedJid?.length && { mentions: mentionedJid }) }
  }
  return {}
}

/** Some messages travel inside another that only says how to show them. */
function unwrapped(message: proto.IMessage): proto.IMessage {
  const inner =
    message.ephemeralMessage?.message ??
    message.viewOnceMessage?.message ??
    message.viewOnceMessageV2?.message ??
    message.documentWithCaptionMessage?.message ??
    message.editedMessage?.message
  return inner ? unwrapped(inner) : message
}
