// Answers to a menu by number: `2` is its second choice, as if it had been tapped.

import { DAY } from '@msgnet/shared/date-time.ts'
import type { MenuAnswer, NetworkMessage } from '../driver/driver.ts'
import type { Store } from '../store/host-store.ts'
import { listOwnSince, type MessageRow } from '../store/message-store.ts'
import type { Batch } from './intake-batch.ts'
import { findTarget, type Origin } from './message-lookup.ts'

/** Later a number is no answer any more, unless it quotes the menu. */
const MAX_AGE = DAY
const NUMBER = /^\s*(\d{1,2})\s*[.)]?\s*$/
const MAX_LENGTH = 16

/** Synchronous, because every message is asked. */
export const mayAnswerByNumber = ({ fromMe, type, text }: NetworkMessage): boolean =>
  !fromMe && type === 'text' && text.length <= MAX_LENGTH && NUMBER.test(text)

/** The changed fields of the message. `content.menuid` names the menu. */
type NumberAnswer = Pick<NetworkMessage, 'answer' | 'content'>

/**
 * A number answers the menu that it quotes. Without a quote it answers a menu that is the newest message of ours in a chat of two: when
 * we have written more since, the number may mean that. Undefined for other numbers.
 */
export async function findNumberAnswer(
  { batch, store, instance }: { batch: Batch; store: Store; instance: string },
  message: NetworkMessage,
  origin: Origin,
): Promise<NumberAnswer | undefined> {
  const number = Number(NUMBER.exec(message.text)?.[1] ?? 0)
  const menu = message.quoted
    ? await findQuotedMenu(batch, message.quoted, origin)
    : await findNewestMenu(store, instance, message)
  const answer = menu && listReplies(menu)[number - 1]
  return answer && { answer, content: { ...message.content, menuid: menu.messageid } }
}

async function findQuotedMenu(batch: Batch, quoted: string, origin: Origin) {
  const { row } = await findTarget(batch, quoted, origin, '')
  return row?.fromMe && row.record.type === 'menu' ? row.record : undefined
}

async function findNewestMenu(store: Store, instance: string, { chat, isGroup, at }: NetworkMessage) {
  if (isGroup) return undefined
  const chatids = [...new Set([chat.id, chat.pn, chat.lid])].filter(Boolean)
  const own = await listOwnSince(store, instance, chatids, at - MAX_AGE)
  const newest = own.find(({ type, status }) => type !== 'reaction' && status !== 'Failed')
  return newest?.type === 'menu' ? newest : undefined
}

/** Choices that a phone opens by itself have no number. */
const listReplies = ({ content }: MessageRow['record']): MenuAnswer[] =>
  ((content.choices ?? []) as MenuAnswer[])
    .filter(({ id }) => id !== '')
    .map(({ id, text }) => ({ id, text }))
