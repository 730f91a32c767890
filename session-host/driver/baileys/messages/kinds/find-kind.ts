// Apart from message-content.ts, because readers of changes look for the kind of what is in them: which field of a message says something.

import type { proto } from 'baileys'

export type FieldName = keyof proto.IMessage

/** They stand beside what a message says. */
const ENVELOPE: ReadonlySet<string> = new Set<FieldName>([
  'senderKeyDistributionMessage',
  'fastRatchetKeySenderKeyDistributionMessage',
  'messageContextInfo',
])

/** Undefined for a message whose only fields belong to its envelope, or are newer than the library. */
export function findField(content: proto.IMessage | undefined): FieldName | undefined {
  if (!content) return undefined
  // Most messages are texts.
  if (content.conversation) return 'conversation'
  for (const name of Object.keys(content) as FieldName[])
    if (!ENVELOPE.has(name) && content[name] !== null && content[name] !== undefined) return name
  return undefined
}

export function findContext(
  content: proto.IMessage,
  name = findField(content),
): proto.IContextInfo | null | undefined {
  const part = name && content[name]
  return typeof part === 'object' && part && 'contextInfo' in part ? part.contextInfo : undefined
}
