// Answers to our menus: taps, and numbers: `2` is the second choice, as if it had been tapped.

import type { MenuForm } from '@msgnet/shared/contract/menu-choices.ts'
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
export const mayAnswerMenu = ({ fromMe, type, text, answer }: NetworkMessage): boolean =>
  !fromMe && type === 'text' && (answer !== undefined || (text.length <= MAX_LENGTH && NUMBER.test(text)))

/** The changed fields of the message. `content.menuid` names the menu, `content.menuForm` says which form it has. */
type Answer = Pick<NetworkMessage, 'answer' | 'content'>

/**
 * A tap quotes its menu. A number answers the menu that it quotes. Without a quote it answers a menu that is the newest message of ours in a chat of two: when
 * we have written more since, the number may mean that. Undefined for other numbers.
 */
export async function findMenuAnswer(
  { batch, store, instance }: { batch: Batch; store: Store; instance: string },
  message: NetworkMessage,
  origin: Origin,
): Promise<Answer | undefined> {
  const { answer: tapped, quoted, text } = message
  if (tapped && !quoted) return undefined
  const menu = quoted
    ? await findQuotedMenu(batch, quoted, origin)
    : await findNewestMenu(store, instance, message)
  const number = Number(NUMBER.exec(text)?.[1] ?? 0)
  const answer = menu && (tapped ?? listReplies(menu)[number - 1])
  const named = menu && { menuid: menu.messageid, menuForm: readForm(menu) }
  return answer && { answer, content: { ...message.content, ...named } }
}

const readForm = ({ content: { button, cards } }: MessageRow['record']): MenuForm =>
  button ? 'list' : cards ? 'carousel' : 'button'

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
