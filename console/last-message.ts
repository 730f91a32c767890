// What the last message of a chat says, in one line, as lists of chats show it.

import type { ChatRecord } from '@msgnet/shared/contract/responses/chat-responses.ts'
import { formatId } from './format-id.ts'
import { nameKind } from './message-kind.ts'
import { texts } from './texts.ts'

const words = texts.conversation

export const isMuted = ({ wa_muteEndTime: until }: ChatRecord) => until === -1 || until > Date.now()

/** “You: at nine”, or in a group “Clara: Picture”. */
export function describeLastMessage(chat: ChatRecord): string {
  const { isGroup, lastMessage, wa_lastMessageType: messageType, wa_lastMessageTextVote: text } = chat
  const { type, mediaType, status, fromMe, senderName, sender } = lastMessage
  const kind = words.kinds[mediaType] ?? words.otherKinds[type] ?? nameKind(messageType)
  const said = status === 'Deleted' ? words.deleted : type === 'reaction' ? words.reacted(text) : text || kind
  if (!said) return ''
  const author = fromMe ? words.you : isGroup ? senderName || formatId(sender) : ''
  return author ? `${author}: ${said}` : said
}
