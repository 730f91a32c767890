// Takes over the messages of the last days into Chatwoot once: when the phone has sent its history, each chat in its order.

import type { MessageRecord } from '@msgnet/client/client.ts'
import { gateway } from '../bridge.ts'
import { messages } from './bridged-messages.ts'
import { chatwoot } from './chatwoot-client.ts'
import { settings } from './chatwoot-settings.ts'
import { findConversation } from './find-conversation.ts'
import { createContent, isBridged, isFromChatwoot, readFacts } from './forward-event.ts'
import { type JobQueue, Later } from './job-queue.ts'
import { postMessage } from './post-message.ts'

const DAY_MS = 86_400_000
const PAUSE_MS = 2000
const MAX_MESSAGES = 5000
const PAGE = 100

const findStart = (): number => Date.now() - settings.historyDays * DAY_MS

/** One job for each account that is linked. */
export function enqueueImport(owner: string, queue: JobQueue): void {
  if (settings.historyDays > 0 && owner) queue.add(`import ${owner}`, 'import', 'import', {})
}

/** Waits until the phone has sent everything, so that the oldest message comes first. */
export async function importHistory(queue: JobQueue): Promise<void> {
  const { history, loggedIn } = await gateway.status()
  if (!loggedIn || history?.state === 'waiting' || history?.state === 'syncing')
    throw new Later(PAUSE_MS, 'the history is not complete')
  for (let offset = 0, more = true; more; ) {
    const page = await gateway.findChats({ limit: PAGE, offset })
    const recent = page.chats.filter(({ lastMessageTimestamp }) => lastMessageTimestamp >= findStart())
    for (const { id, wa_name, name } of recent)
      if (isBridged(id)) queue.add(`history ${id}`, id, 'history', { chatid: id, name: wa_name || name })
    offset = page.nextOffset
    more = page.hasMore && recent.length > 0
  }
}

/** Oldest first. */
async function listMessages(chatid: string): Promise<MessageRecord[]> {
  const found: MessageRecord[] = []
  for (let offset = 0, more = true; more; ) {
    const page = await gateway.findMessages({ chatid, limit: PAGE, offset })
    const recent = page.messages.filter(({ messageTimestamp }) => messageTimestamp >= findStart())
    found.push(...recent)
    offset = page.nextOffset
    more = page.hasMore && recent.length === page.messages.length && found.length < MAX_MESSAGES
  }
  return found.reverse()
}

/** Files of the past stay on the phone. */
function createPastContent(message: MessageRecord): string {
  const content = createContent(message)
  return message.type === 'media' ? [content, `(${message.mediaType})`].filter(Boolean).join('\n') : content
}

export async function importChat({ chatid, name }: { chatid: string; name: string }): Promise<void> {
  const all = (await listMessages(chatid)).filter(
    (one) =>
      one.type !== 'reaction' &&
      one.status !== 'Deleted' &&
      !isFromChatwoot(one) &&
      !messages.find(one.messageid),
  )
  const [first] = all
  if (!first) return
  const facts = readFacts(first, name)
  for (const message of all) {
    const { messageid, fromMe, quoted, messageTimestamp: at } = message
    await postMessage(facts, { messageid, fromMe, quoted, at, content: createPastContent(message) })
  }
  const { conversation, live } = await findConversation(facts)
  // Nobody has to answer what was only taken over.
  if (!live) await chatwoot.setStatus(conversation, 'resolved')
}
