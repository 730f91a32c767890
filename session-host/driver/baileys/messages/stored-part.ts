// A decrypted part of a message in its stored form, and the message that it is decoded to.

import { cleanMessage, decodeMessageNode, proto, unpadRandomMax16, type WAMessage } from 'baileys'
import type { OwnIds } from './inbound-messages.ts'

/** A group's first message comes in two parts: the sender's key and the text. */
export interface StoredPart {
  attrs: Record<string, string>
  /** Its place in the stanza. Rows of earlier versions have none: they are in order. */
  part?: number
  plain: Uint8Array
}

/** Throws for a stanza that is no message. */
export const readEnvelope = (attrs: StoredPart['attrs'], me: OwnIds): WAMessage =>
  decodeMessageNode({ tag: 'message', attrs }, me.id, me.lid ?? '').fullMessage

/** Undefined for plaintext that is no message. */
export function decodePart(
  attrs: StoredPart['attrs'],
  plain: Uint8Array,
  me: OwnIds,
  onError: (error: unknown) => void,
): WAMessage | undefined {
  try {
    const envelope = readEnvelope(attrs, me)
    const decoded = proto.Message.decode(unpadRandomMax16(plain))
    const message = { ...envelope, message: decoded.deviceSentMessage?.message ?? decoded } as WAMessage
    cleanMessage(message, me.id, me.lid ?? '')
    return message
  } catch (error) {
    onError(error)
    return undefined
  }
}
