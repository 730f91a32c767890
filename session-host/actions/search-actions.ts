// Searches the stored messages and chats, in pages that fit into a frame.

import { emptyMessage, type MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type {
  ChatRecord,
  FoundChats,
  FoundMessages,
} from '@msgnet/shared/contract/responses/chat-responses.ts'
import { createDoneOutcome, createRefusal, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import { type ActionInput, MAX_RESULT_CHARACTERS } from '@msgnet/shared/wire/session-actions.ts'
import type { Person } from '../driver/driver.ts'
import { findStoreFault } from '../process/store-fault.ts'
import type { Session } from '../sessions/host-session.ts'
import { type ChatView, findChats as findStoredChats, toCursor } from '../store/chat-search.ts'
import { foldNewNames } from '../store/folded-names.ts'
import { indexWaiting, searchMessages } from '../store/message-index.ts'
import { findOrderPlace, isQuickList, listMessages, type MessageRow } from '../store/message-store.ts'
import type { ActionContext } from './action.ts'

/** Records that were stored before these fields were have none of them. */
const { quotedSender, repliesToMe, mentions, mentionsMe, late } = emptyMessage
const laterFields = { quotedSender, repliesToMe, mentions, mentionsMe, late }

export async function findMessages(
  context: ActionContext,
  { id, chatid, beforeId, search, ...wish }: ActionInput<'message.find'>,
): Promise<Outcome<FoundMessages>> {
  const { session, turnDeadline, chats } = context
  const { track_id, track_source, fromMe, messageType, sort, limit, offset } = wish
  if (id !== undefined) {
    const found = await session.intake.findMessage(id)
    const isHidden = found && chats?.includes(found.record.chatid, found.record.chatlid) === false
    const isElsewhere = found && chatid !== undefined && !(await isInChat(session, found, chatid))
    const isListed = found && !isHidden && !isElsewhere && offset === 0 && isWanted(found.record, wish)
    const page = isListed ? [found.record] : []
    return createDoneOutcome(buildMessagePage(page, limit, offset).page)
  }
  if (chats && chatid !== undefined && !(await chats.includesNamed(chatid)))
    return createDoneOutcome(buildMessagePage([], limit, offset).page)
  const { store, instance } = session
  const isBeforeHidden = chats && beforeId !== undefined && !(await chats.includesMessage(beforeId))
  const after = beforeId === undefined ? undefined : await findOrderPlace(store, instance, beforeId)
  if (beforeId !== undefined && (!after || isBeforeHidden)) return createRefusal('message_not_found')
  const filter = {
    ...(after && { after }),
    ...(chatid !== undefined && { chatids: await listChatForms(session, chatid) }),
    ...(chats && chatid === undefined && { choice: chats.choice }),
    ...(track_id !== undefined && { trackId: track_id }),
    ...(track_source !== undefined && { trackSource: track_source }),
    ...(fromMe !== undefined && { fromMe }),
    ...(messageType !== undefined && { messageType }),
    oldestFirst: sort === 'messageTimestamp',
  }
  // One more than requested, to see whether there is more.
  const page = { limit: limit + 1, offset }
  if (search !== undefined) {
    const complete = await indexNewMessages(context)
    const found = await store.heavyReads.run(
      instance,
      (reader) => searchMessages(reader, instance, { ...filter, search }, page),
      turnDeadline,
    )
    return createDoneOutcome({ ...buildMessagePage(found, limit, offset).page, complete })
  }
  if (!isQuickList(filter, page)) {
    const found = await store.heavyReads.run(
      instance,
      (reader) => listMessages(reader, instance, filter, page),
      turnDeadline,
    )
    return createDoneOutcome(buildMessagePage(found, limit, offset).page)
  }
  const listed = await store.heavyReads.runQuick(
    instance,
    async () => buildMessagePage(await listMessages(store, instance, filter, page), limit, offset),
    ({ characters }) => characters,
  )
  return createDoneOutcome(listed.page)
}

/** Returns whether all are indexed. A store that is full can still be searched for what is indexed. */
async function indexNewMessages({ session, log }: ActionContext): Promise<boolean> {
  try {
    return await indexWaiting(session.store)
  } catch (error) {
    if (!findStoreFault(error)) throw error
    log.warn({ error }, 'failed to index messages')
    return false
  }
}

function isWanted(
  record: MessageRecord,
  {
    track_id,
    track_source,
    fromMe,
    messageType,
  }: Omit<ActionInput<'message.find'>, 'id' | 'chatid' | 'search' | 'beforeId'>,
): boolean {
  return (
    (track_id ?? record.track_id) === record.track_id &&
    (track_source ?? record.track_source) === record.track_source &&
    (fromMe ?? record.fromMe) === record.fromMe &&
    (messageType ?? record.messageType).toLowerCase() === record.messageType.toLowerCase()
  )
}

export async function findChats(
  context: ActionContext,
  filter: ActionInput<'chat.find'>,
): Promise<Outcome<FoundChats>> {
  const { session, turnDeadline, log } = context
  const view = await readChatView(context)
  if (!view)
    return createRefusal(
      'not_connected',
      'The blocked numbers are known only while the instance is connected.',
    )
  const { limit, offset } = filter
  const { store, instance } = session
  const { found, total } = await store.heavyReads.run(
    instance,
    async (reader) => {
      if (comparesNames(filter)) await foldNames()
      return findStoredChats(reader, instance, filter, { ...view, choice: context.chats?.choice })
    },
    turnDeadline,
  )
  const chats = cutToFrame(found)
  const isCut = chats.length < found.length
  const nextOffset = offset + chats.length
  const last = chats.at(-1)
  // What comes meanwhile moves the offsets, and not what is before this one.
  const hasMore = filter.before === undefined ? nextOffset < total : isCut || chats.length === limit
  const isOrdered = filter.sort === NEWEST_FIRST
  const cursor = last && hasMore && isOrdered ? { nextBefore: toCursor(last) } : {}
  return createDoneOutcome({ chats, ...cursor, limit, offset, nextOffset, hasMore, total })

  async function foldNames(): Promise<void> {
    try {
      await foldNewNames(store, instance)
    } catch (error) {
      // A store that is full can still be searched; the new names are compared as they are.
      if (!findStoreFault(error)) throw error
      log.warn({ error }, 'failed to store folded names')
    }
  }

  async function readChatView({ network, deadline }: ActionContext): Promise<ChatView | undefined> {
    const { owner } = session.state
    const { jid, lid } = session.state.now
    const own = [jid, lid].filter(Boolean)
    const blocked = network && (await network.account.getCachedBlockList(deadline))
    if (blocked?.kind === 'done') return { owner, own, blocked: listAllForms(blocked.value) }
    return filter.wa_isBlocked === undefined ? { owner, own, blocked: [] } : undefined
  }
}

const NEWEST_FIRST: ActionInput<'chat.find'>['sort'] = '-wa_lastMsgTimestamp'

const comparesNames = ({ search, name, wa_name, wa_contactName }: ActionInput<'chat.find'>): boolean =>
  search !== '' || [name, wa_name, wa_contactName].some((text) => text?.startsWith('~'))

const listAllForms = (people: Person[]) => people.flatMap(({ id, pn, lid }) => [id, pn, lid].filter(Boolean))

function cutToFrame(found: ChatRecord[]): ChatRecord[] {
  let characters = 0
  const end = found.findIndex((chat, place) => {
    characters += JSON.stringify(chat).length
    return place > 0 && characters > MAX_RESULT_CHARACTERS
  })
  return end === -1 ? found : found.slice(0, end)
}

/** `characters`: of its JSON. */
function buildMessagePage(
  found: MessageRecord[],
  limit: number,
  offset: number,
): { page: FoundMessages; characters: number } {
  const messages: MessageRecord[] = []
  let characters = 0
  for (const record of found.slice(0, limit)) {
    characters += JSON.stringify(record).length
    if (messages.length > 0 && characters > MAX_RESULT_CHARACTERS) break
    messages.push({ ...laterFields, ...record })
  }
  const nextOffset = offset + messages.length
  return {
    page: { messages, limit, offset, nextOffset, hasMore: found.length > messages.length },
    characters,
  }
}

/** `chatid` is any id of the chat. */
export async function isInChat(session: Session, { record }: MessageRow, chatid: string): Promise<boolean> {
  const forms = await listChatForms(session, chatid)
  return forms.includes(record.chatid) || (record.chatlid !== '' && forms.includes(record.chatlid))
}

export async function listChatForms(session: Session, chatid: string): Promise<string[]> {
  const known = await session.network?.findKnownIds(chatid)
  return [...new Set([chatid, known?.pn ?? '', known?.lid ?? ''])].filter(Boolean)
}
