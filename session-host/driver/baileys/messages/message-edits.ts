// Edits: the message that results from one, and a message with other words.

import type { proto } from 'baileys'
import { findSecret } from './message-seals.ts'
import { unwrap } from './message-wrappers.ts'
import { shortenPoll } from './poll-content.ts'

const FILES = ['imageMessage', 'videoMessage', 'documentMessage'] as const

/** The same message with another text or caption; undefined for one that has neither. */
export function replaceText(message: proto.IMessage, text: string): proto.IMessage | undefined {
  const content = unwrap(message)
  if (content?.conversation) return { conversation: text }
  if (content?.extendedTextMessage) return { extendedTextMessage: { ...content.extendedTextMessage, text } }
  for (const type of FILES) {
    if (content?.[type]) return { [type]: { ...content[type], caption: text } }
  }
  return undefined
}

/**
 * `edit`: or the edited message itself, as a history has it. Later edits, votes and reactions are encrypted under the secret of the
 * original, and an edit need not repeat its file.
 */
export function applyEdit(original: proto.IMessage, edit: proto.IMessage): proto.IMessage {
  const change = unwrap(edit)?.protocolMessage
  const edited = change ? (change.editedMessage ?? {}) : edit
  const message = restoreFile(original, edited) ?? edited
  const messageSecret = findSecret(original)
  const changed = messageSecret
    ? { ...message, messageContextInfo: { ...message.messageContextInfo, messageSecret } }
    : message
  shortenPoll(changed)
  return changed
}

/** The original with the caption of the edit, if it is a file and the edit has none. */
function restoreFile(original: proto.IMessage, edited: proto.IMessage): proto.IMessage | undefined {
  const before = unwrap(original)
  const after = unwrap(edited)
  if (!FILES.some((type) => before?.[type]) || FILES.some((type) => after?.[type]?.mediaKey?.length))
    return undefined
  const caption = FILES.map((type) => after?.[type]?.caption).find((words) => words)
  return replaceText(original, caption ?? after?.conversation ?? after?.extendedTextMessage?.text ?? '')
}
