// What a decrypted message says, in the words of the control interface.
import { proto } from '../codec/protobuf.ts'

export type Content = { type: string; text: string; caption?: string; target?: string }

const MEDIA = ['image', 'video', 'audio', 'document', 'sticker'] as const

/** Undefined for messages between devices that show nothing to a person. */
export function describe(wrapped: proto.IMessage): Content | undefined {
  const message = unwrapped(wrapped)
  const { conversation, extendedTextMessage, reactionMessage, protocolMessage } = message
  if (protocolMessage) return describeChange(protocolMessage)
  if (conversation) return { type: 'text', text: conversation }
  if (extendedTextMessage) return { type: 'text', text: extendedTextMessage.text ?? '' }
  if (reactionMessage) return withTarget('reaction', reactionMessage.text, reactionMessage.key)
  if (message.locationMessage) return { type: 'location', text: message.locationMessage.name ?? '' }
  if (message.contactMessage) return { type: 'contact', text: message.contactMessage.displayName ?? '' }
  return describeMedia(message)
}

function describeMedia(message: proto.IMessage): Content | undefined {
  for (const type of MEDIA) {
    const media = message[`${type}Message`]
    if (!media) continue
    const caption = 'caption' in media ? media.caption : undefined
    return caption ? { type, text: '', caption } : { type, text: '' }
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
