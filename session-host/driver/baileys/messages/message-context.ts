// The context of a message: the message it quotes, the people it mentions, whether it was forwarded, and the advertisement that it follows.

import { MAX_LIST_ITEMS, truncateText } from '@msgnet/shared/truncation.ts'
import type { proto } from 'baileys'
import type { ChatTimer, MessageContent } from '../../driver.ts'
import { truncateId } from '../../message-names.ts'
import { toGatewayJid } from '../ids.ts'
import { toMilliseconds } from '../network-times.ts'
import { findField } from './kinds/find-kind.ts'
import { unwrap } from './message-wrappers.ts'

/** The most text of a quoted message that is reported again. */
const MAX_QUOTED_BYTES = 4096

/** The context as clients of the dialect read it; an empty object if there is none. */
export function readContext(context: proto.IContextInfo | null | undefined): { contextInfo?: object } {
  const {
    stanzaId,
    participant,
    mentionedJid = [],
    nonJidMentions,
    isForwarded,
    forwardingScore,
  } = context ?? {}
  const externalAdReply = context?.externalAdReply && readAdvertisement(context.externalAdReply)
  const quotedMessage = stanzaId ? readQuotedMessage(context?.quotedMessage) : undefined
  const contextInfo = {
    ...(stanzaId && { stanzaID: truncateId(stanzaId), participant: toGatewayJid(participant) }),
    ...(quotedMessage && { quotedMessage }),
    ...(mentionedJid?.length && { mentionedJID: mentionedJid.slice(0, MAX_LIST_ITEMS).map(toGatewayJid) }),
    ...(nonJidMentions && { nonJIDMentions: nonJidMentions }),
    ...(isForwarded && { isForwarded, forwardingScore: forwardingScore ?? 1 }),
    ...(externalAdReply && { externalAdReply }),
  }
  return Object.keys(contextInfo).length > 0 ? { contextInfo } : {}
}

type NamedPeople = Pick<MessageContent, 'mentioned' | 'mentionsAll' | 'quotedAuthor'>

/** The people whom the context names; an empty object if there are none. */
export function readNamedPeople(context: proto.IContextInfo | null | undefined): NamedPeople {
  const { stanzaId, participant, mentionedJid, nonJidMentions } = context ?? {}
  const author = stanzaId ? toGatewayJid(participant) : ''
  const ids = mentionedJid?.slice(0, MAX_LIST_ITEMS).map(toGatewayJid) ?? []
  const mentioned = [...new Set(ids)].filter(Boolean)
  return {
    ...(mentioned.length > 0 && { mentioned }),
    ...(nonJidMentions && { mentionsAll: true }),
    ...(author && { quotedAuthor: author }),
  }
}

/** The advertisement that led somebody here, in the names of the API family. */
function readAdvertisement(advertisement: proto.ContextInfo.IExternalAdReplyInfo): object | undefined {
  const { title, body, thumbnailUrl, mediaUrl, sourceType, sourceId, sourceUrl, ctwaClid, ref } =
    advertisement
  const texts = Object.entries({
    title,
    body,
    sourceType,
    ctwaClid,
    ref,
    thumbnailURL: thumbnailUrl,
    mediaURL: mediaUrl,
    sourceID: sourceId,
    sourceURL: sourceUrl,
  }).filter(([, text]) => text)
  if (texts.length === 0) return undefined
  return Object.fromEntries(texts.map(([name, text]) => [name, truncateText(text ?? '', MAX_QUOTED_BYTES)]))
}

/** Undefined for a message that stays. */
export function readTimer(context: proto.IContextInfo | null | undefined): ChatTimer | undefined {
  const { expiration: seconds, ephemeralSettingTimestamp: setAt } = context ?? {}
  return seconds ? { seconds, setAt: setAt ? toMilliseconds(setAt) : 0 } : undefined
}

/** Whether it mentions more people than are reported. */
export const isCutContext = (context: proto.IContextInfo | null | undefined): boolean =>
  (context?.mentionedJid?.length ?? 0) > MAX_LIST_ITEMS

/** Its text, under the name of its kind. */
function readQuotedMessage(quoted: proto.IMessage | null | undefined): object | undefined {
  const content = unwrap(quoted)
  const type = findField(content)
  const part = type && content?.[type]
  if (!type || !part) return undefined
  if (typeof part === 'string') return { [type]: truncateText(part, MAX_QUOTED_BYTES) }
  const { text, caption } = part as { text?: string | null; caption?: string | null }
  return {
    [type]: {
      ...(text && { text: truncateText(text, MAX_QUOTED_BYTES) }),
      ...(caption && { caption: truncateText(caption, MAX_QUOTED_BYTES) }),
    },
  }
}
