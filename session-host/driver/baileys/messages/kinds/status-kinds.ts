// What people do with a status post, answers to questions, and the answers of the network's assistant.

import type { proto } from 'baileys'
import { type KindTable, limitWords, type Reading, readTarget } from './kind-reading.ts'

const NOTIFICATIONS = ['', 'addYours', 'reshare', 'questionAnswerReshare']
const INTERACTIONS = ['', 'reaction']
/** Of an answer of the assistant. */
const MAX_ANSWER_BYTES = 65_536
const MAX_PARTS = 256

interface Answer {
  key?: proto.IMessageKey | null
  text?: string | null
}

const readAnswer = (answer: Answer | null | undefined): Reading => {
  const text = limitWords(answer?.text, MAX_ANSWER_BYTES)
  return { type: 'other', text, ...readTarget(answer?.key) }
}

function readStatusNotice({ statusNotificationMessage }: proto.IMessage): Reading {
  const { originalMessageKey, responseMessageKey, type } = statusNotificationMessage ?? {}
  const { target, content } = readTarget(originalMessageKey)
  const { target: response } = readTarget(responseMessageKey)
  const notice = NOTIFICATIONS[Number(type ?? 0)] ?? ''
  return { type: 'other', target, content: { ...content, notice, ...(response && { response }) } }
}

function readInteraction({ statusStickerInteractionMessage }: proto.IMessage): Reading {
  const { key, stickerKey, type } = statusStickerInteractionMessage ?? {}
  const { target, content } = readTarget(key)
  const interaction = INTERACTIONS[Number(type ?? 0)] ?? ''
  return { type: 'other', target, content: { ...content, interaction, sticker: limitWords(stickerKey) } }
}

function readAssistant({ richResponseMessage }: proto.IMessage): Reading | undefined {
  const parts = (richResponseMessage?.submessages ?? []).slice(0, MAX_PARTS).map(writePart).filter(Boolean)
  const text = limitWords(parts.join('\n\n') || readUnified(richResponseMessage), MAX_ANSWER_BYTES)
  return text ? { type: 'text', text, content: { text } } : undefined
}

function writePart(part: proto.IAIRichResponseSubMessage): string {
  const { messageText, codeMetadata, tableMetadata, latexMetadata } = part
  if (messageText) return messageText
  if (codeMetadata)
    return (codeMetadata.codeBlocks ?? []).map(({ codeContent }) => codeContent ?? '').join('')
  if (tableMetadata)
    return (tableMetadata.rows ?? []).map(({ items }) => (items ?? []).join(' | ')).join('\n')
  return latexMetadata?.text ?? ''
}

/** The newest form: JSON of sections, whose words are in fields named `text`. */
function readUnified(message: proto.IAIRichResponseMessage | null | undefined): string {
  const data = message?.unifiedResponse?.data
  if (!data?.length || data.length > MAX_ANSWER_BYTES) return ''
  const texts: string[] = []
  try {
    JSON.parse(Buffer.from(data).toString('utf8'), (name, value: unknown) => {
      if (name === 'text' && typeof value === 'string' && texts.length < MAX_PARTS) texts.push(value)
      return value
    })
  } catch {
    // Another form than the known one.
    return ''
  }
  return texts.join('\n\n')
}

export const statusKinds = {
  statusQuestionAnswerMessage: (content) => readAnswer(content.statusQuestionAnswerMessage),
  questionResponseMessage: (content) => readAnswer(content.questionResponseMessage),
  statusQuotedMessage: ({ statusQuotedMessage: quote }) =>
    readAnswer({ key: quote?.originalStatusId ?? null, text: quote?.text ?? null }),
  statusNotificationMessage: readStatusNotice,
  statusStickerInteractionMessage: readInteraction,
  richResponseMessage: readAssistant,
} satisfies KindTable
