// Takes a message out of what it is wrapped in. The network wraps a message to mark it, and so that clients that do not know the mark drop it.

import type { proto } from 'baileys'
import { findNewerField } from './newer-fields.ts'

/**
 * `silent`: only changes how a message is kept or drawn, or its content tells of it: `viewOnce`. `mark`: says something of the message,
 * and `content.wrapper` of its record names the outermost one.
 */
const wrapperForms = {
  associatedChildMessage: 'mark',
  botForwardedMessage: 'mark',
  botInvokeMessage: 'mark',
  botTaskMessage: 'mark',
  deviceSentMessage: 'silent',
  documentWithCaptionMessage: 'silent',
  editedMessage: 'silent',
  ephemeralMessage: 'silent',
  eventCoverImage: 'mark',
  groupMentionedMessage: 'mark',
  groupStatusMentionMessage: 'mark',
  groupStatusMessage: 'mark',
  groupStatusMessageV2: 'mark',
  limitSharingMessage: 'mark',
  lottieStickerMessage: 'mark',
  pollCreationMessageV4: 'mark',
  pollCreationOptionImageMessage: 'mark',
  questionMessage: 'mark',
  questionReplyMessage: 'mark',
  statusAddYours: 'mark',
  statusMentionMessage: 'mark',
  viewOnceMessage: 'silent',
  viewOnceMessageV2: 'silent',
  viewOnceMessageV2Extension: 'silent',
} satisfies Partial<Record<keyof proto.IMessage, 'silent' | 'mark'>>

export type WrapperName = keyof typeof wrapperForms
export const wrapperNames = Object.keys(wrapperForms) as WrapperName[]
const wrappers: ReadonlySet<string> = new Set(wrapperNames)

/** Clients write three at most. */
const MAX_WRAPPERS = 8

export interface Unwrapped {
  /** Undefined where nothing is in the innermost wrapper. */
  content: proto.IMessage | undefined
  /** The name of the outermost one that marks the message; empty if there is none. */
  wrapper: string
}

export function unwrapMessage(message: proto.IMessage | null | undefined): Unwrapped {
  let content = message ?? undefined
  let wrapper = ''
  for (let depth = 0; content && depth < MAX_WRAPPERS; depth += 1) {
    // Most messages are texts.
    if (content.conversation || content.extendedTextMessage) break
    const name = findWrapper(content)
    const newer = name ? undefined : findNewerField(content)
    if (!name && !newer?.isWrapper) break
    const inner = name ? content[name]?.message : newer?.message
    if (!inner) return { content: undefined, wrapper: wrapper || name || newer?.name || '' }
    if (!name || wrapperForms[name] === 'mark') wrapper ||= name ?? newer?.name ?? ''
    content = inner
  }
  return { content, wrapper }
}

/** The message without its wrappers. */
export const unwrap = (message: proto.IMessage | null | undefined): proto.IMessage | undefined =>
  unwrapMessage(message).content

function findWrapper(content: proto.IMessage): WrapperName | undefined {
  for (const name of Object.keys(content))
    if (wrappers.has(name) && content[name as WrapperName]) return name as WrapperName
  return undefined
}
