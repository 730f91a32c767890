// Searches the stored messages and chats, in pages that fit into a frame.

import type { ChatRecord, FoundChats, FoundMessages } from '../../shared/contract/answers/chat.ts'
import type { MessageRecord } from '../../shared/contract/message.ts'
import { type ActionInput, RESULT_CHARACTERS } from '../../shared/wire/actions.ts'
import { done, type Outcome, refused } from '../../shared/wire/outcome.ts'
import type { Person } from '../driver/driver.ts'
import { boundedRecord } from '../sessions/reporting.ts'
import type { Session } from '../sessions/session.ts'
import { type ChatView, findChats as findStoredChats } from '../store/finding-chats.ts'
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
  // One more than requested, to see whether there is more.
  const found = await listMessages(session.store, session.instance, wanted, { limit: limit + 1, offset })
  return done(pageOf(found, limit, offset))
}

export async function findChats(
  context: ActionContext,
  wanted: ActionInput<'chat.find'>,
): Promise<Outcome<FoundChats>> {
  const { session } = context
  const view = await chatViewOf(context)
  if (!view) return refused('not_connected', 'Who is blocked is known while the instance is connected.')
  const { limit, offset } = wanted
  const { found, total } = await findStoredChats(session.store, session.instance, wanted, view)
  const chats = withinAFrame(found)
  const nextOffset = offset + chats.length
  return done({ chats, limit, offset, nextOffset, hasMore: nextOffset < total, total })

  async function chatViewOf({ network, deadline }: ActionContext): Promise<ChatView | undefined> {
    const { owner } = session.state
    const blocked = network && (await network.account.knownBlocked(deadline))
    if (blocked?.kind === 'done') return { owner, blocked: spelledOut(blocked.value) }
    return wanted.wa_isBlocked === undefined ? { owner, blocked: [] } : undefined
  }
}

const spelledOut = (people: Person[]) => people.flatMap(({ id, pn, lid }) => [id, pn, lid].filter(Boolean))

function withinAFrame(found: ChatRecord[]): ChatRecord[] {
  let characters = 0
  const end = found.findIndex((chat, place) => {
    characters += JSON.stringify(chat).length
    return place > 0 && characters > RESULT_CHARACTERS
  })
  return end === -1 ? found : found.slice(0, end)
}

function pageOf(found: MessageRecord[], limit: number, offset: number): FoundMessages {
  const messages: MessageRecord[] = []
  let characters = 0
  // Of earlier versions there may be records that no frame holds.
  for (const record of found.slice(0, limit).map(boundedRecord)) {
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
