// What a message is, in words: where its record has none of its own, or its own do not say it.

import type { MessageRecord } from '@msgnet/shared/contract/responses/message-responses.ts'
import { formatDateTime } from './formats.ts'
import { texts } from './texts.ts'

const kinds = texts.messageKinds
const words = texts.conversation

/** Empty for a text, a file and all that shows itself. */
export function nameKind(messageType: string, content: MessageRecord['content'] = {}): string {
  const field = messageType === 'protocolMessage' && Object.keys(content).find((name) => kinds[name])
  return kinds[field || messageType] ?? ''
}

/** With when it begins and where, and how much money it is about. Empty as above; never empty where the message has no words. */
export function describeKind({ messageType, type, text, content }: MessageRecord): string {
  const kind = nameKind(messageType, content)
  const { startTime, location, amount, total, currency } = content
  const place = (location as { name?: string } | undefined)?.name
  const money = Number(amount ?? total ?? 0)
  const facts = [
    kind,
    startTime ? formatDateTime(Number(startTime)) : '',
    place,
    money ? `${String(currency ?? '')} ${money.toFixed(2)}`.trim() : '',
  ]
  if (kind) return facts.filter(Boolean).join(' · ')
  const showsItself = text || type === 'media'
  return showsItself ? '' : (words.otherKinds[type] ?? words.unsupported)
}
