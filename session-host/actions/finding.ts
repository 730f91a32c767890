// Looking into what is stored: pages of messages and of chats. No page grows over what a frame carries.

import type { ChatPage, FoundMessages } from '../../shared/contract/answers/chat.ts'
import type { MessageRecord } from '../../shared/contract/message.ts'
import { type ActionInput, RESULT_CHARACTERS } from '../../shared/wire/actions.ts'
import { done, type Outcome } from '../../shared/wire/outcome.ts'
import type { Session } from '../sessions/session.ts'
import { listChats } from '../store/chats.ts'
import { listMessages } from '../store/messages.ts'
import type { ActionContext } from './action.ts'

export async function findMessages(
  { session }: ActionContext,
  { id, chatid, track_id, track_source, limit, offset }: ActionInput<'message.find'>,
): Promise<Outcome<FoundMessages>> {
  if (id !== undefined) {
    const found = await session.intake.find(id)
    const fits =
      found &&
      (track_id ?? found.trackId) === found.trackId &&
      (track_source ?? found.record.track_source) === found.record.track_source
    return done(pageOf(fits && offset === 0 ? [found.record] : [], limit, offset))
  }
  const wanted = {
    ...(chatid !== undefined && { chatids: await spellingsOf(session, chatid) }),
    ...(track_id !== undefined && { trackId: track_id }),
    ...(track_source !== undefined && { trackSource: track_source }),
  }
  // One more than asked for tells whether there is more.
  const found = await listMessages(session.store, session.instance, wanted, { limit: limit + 1, offset })
  return done(pageOf(found, limit, offset))
}

export async function findChats(
  { session }: ActionContext,
  { limit, offset, unread }: ActionInput<'chat.find'>,
): Promise<Outcome<ChatPage>> {
  const page = { limit: limit + 1, offset, unread }
  const found = await listChats(session.store, session.instance, page)
  const chats = found.slice(0, limit)
  const nextOffset = offset + chats.length
  return done({ chats, limit, offset, nextOffset, hasMore: found.length > limit })
}

function pageOf(found: MessageRecord[], limit: number, offset: number): FoundMessages {
  const messages: MessageRecord[] = []
  let characters = 0
  for (const record of found.slice(0, limit)) {
    characters += JSON.stringify(record).length
    if (messages.length > 0 && characters > RESULT_CHARACTERS) break
    messages.push(record)
  }
  const nextOffset = offset + messages.length
  return { messages, limit, offset, nextOffset, hasMore: found.length > messages.length }
}

async function spellingsOf(session: Session, chatid: string): Promise<string[]> {
  const known = await session.network?.knownAs(chatid)
  return [...new Set([chatid, known?.pn ?? '', known?.lid ?? ''])].filter(Boolean)
}
