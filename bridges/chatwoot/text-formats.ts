// Texts from one side to the other: the network's marks for bold and the like, Chatwoot's Markdown, and what has no form in Chatwoot.

import type { MessageRecord } from '@msgnet/client/client.ts'
import { showMentionedNames } from '@msgnet/shared/mention-names.ts'

/** `*bold*` and `~struck~` of the network; its `_italic_` and code are the same in Markdown. */
export const toMarkdown = (text: string): string =>
  text
    .replace(/(?<![*\w])\*(?![*\s])([^*\n]+?)(?<!\s)\*(?![*\w])/g, '**$1**')
    .replace(/(?<![~\w])~(?![~\s])([^~\n]+?)(?<!\s)~(?![~\w])/g, '~~$1~~')

/** The editor of Chatwoot ends a line within a paragraph with a backslash. */
export const toNetworkText = (markdown: string): string =>
  markdown
    .replace(/\\\n/g, '\n')
    .replace(/(?<![*\w])\*(?![*\s])([^*\n]+?)(?<!\s)\*(?![*\w])/g, '_$1_')
    .replace(/\*\*(?=\S)([^*\n]+?)\*\*/g, '*$1*')
    .replace(/~~(?=\S)([^~\n]+?)~~/g, '~$1~')
    .replace(/\[([^\]\n]+)\]\((https?:[^)\s]+)\)/g, (_, words, url) =>
      words === url ? url : `${words}: ${url}`,
    )
    .trim()

const readPhones = (vcard: string): string[] =>
  [...vcard.matchAll(/^(?:item\d+\.)?TEL[^:]*:(.+)$/gim)].map(([, phone = '']) => phone.trim())

function describePlace({ text, content }: MessageRecord): string {
  const { latitude, longitude, address } = content
  return [text, address, `https://www.google.com/maps?q=${latitude},${longitude}`].filter(Boolean).join('\n')
}

function describeCards({ text, content }: MessageRecord): string {
  const cards = (content.contacts ?? []) as { name: string; vcard: string }[]
  return cards.map(({ name, vcard }) => [name, ...readPhones(vcard)].join('\n')).join('\n\n') || text
}

function describeChoices({ text, content }: MessageRecord): string {
  const choices = (content.choices ?? []) as (string | { text?: string })[]
  const lines = choices.map((choice) => (typeof choice === 'string' ? choice : (choice.text ?? '')))
  return [text, ...lines.filter(Boolean).map((line) => `- ${line}`)].join('\n')
}

/** What an agent reads, in Markdown; empty for a file without a caption. */
export function describeMessage(received: MessageRecord): string {
  const record = { ...received, text: showMentionedNames(received.text, received.mentions) }
  if (record.type === 'location') return describePlace(record)
  if (record.type === 'contact') return describeCards(record)
  if (record.type === 'poll' || record.type === 'menu') return describeChoices(record)
  if (record.content.viewOnce && !record.text) return '(can be seen once, on the phone)'
  if (record.text || record.type === 'media') return toMarkdown(record.text)
  return `(${record.messageType || record.type})`
}

/** The line that names the writer, in a group. */
export function describeSender({ senderName, sender_pn, sender }: MessageRecord): string {
  const digits = /^(\d+)@s\./.exec(sender_pn || sender)?.[1]
  const phone = digits ? `+${digits}` : ''
  return `**${[senderName, phone && senderName ? `(${phone})` : phone].filter(Boolean).join(' ') || sender}**`
}
