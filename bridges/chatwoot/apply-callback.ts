// Chatwoot's calls: each is stored as a job and answered at once, because Chatwoot waits five seconds and does not call again.

import { randomUUID } from 'node:crypto'
import { gateway } from '../bridge.ts'
import { storedValues } from '../bridge-store.ts'
import { isFinalRefusal } from '../final-refusals.ts'
import { begunMessages, chats, messages } from './bridged-messages.ts'
import {
  type Callback,
  findCallbackChat,
  type MessageCallback,
  readTime,
  type StatusCallback,
} from './callback-requests.ts'
import { settings } from './chatwoot-settings.ts'
import type { Job, JobQueue } from './job-queue.ts'
import { toNetworkText } from './text-formats.ts'

/** Shorter than the gateway remembers keys, so that nothing is sent again though the bridge has lost its file. */
const MAX_AGE_MS = 23 * 3600 * 1000

const findQueue = (conversation: Parameters<typeof findCallbackChat>[0]): string =>
  chats.findByConversation(conversation.id)?.chatid ?? findCallbackChat(conversation)

const nameSend = (id: number, attempt: number): string => `send ${id} ${attempt}`

/** Written by an agent, an automation or Chatwoot itself, for the contact; what the bridge wrote has a `source_id`. */
const isReply = ({ message_type, private: isPrivate, source_id }: MessageCallback): boolean =>
  (message_type === 'outgoing' || message_type === 'template') && !isPrivate && !source_id

export function enqueueCallback(callback: Callback, queue: JobQueue): void {
  if (callback.event === 'conversation_status_changed') {
    if (callback.inbox_id === settings.inbox && callback.status === 'resolved' && settings.archive)
      queue.add(`resolved ${randomUUID()}`, findQueue(callback), 'resolved', callback)
    return
  }
  const { event, id, inbox, content_attributes } = callback
  if (event !== 'message_created' && event !== 'message_updated') return
  if (inbox.id !== settings.inbox || callback.private) return
  begunMessages.see(id)
  const chat = findQueue(callback.conversation)
  if (event === 'message_created') {
    if (isReply(callback)) queue.add(nameSend(id, 0), chat, 'send', { callback, attempt: 0 })
    return
  }
  // What was not begun yet need not be sent.
  if (content_attributes?.deleted) queue.cancel(nameSend(id, 0))
  if (callback.message_type !== 'incoming') queue.add(`change ${randomUUID()}`, chat, 'change', callback)
}

/** A refusal of the network, for example because it is too late, leaves the message there as it was. */
function logRefusal(error: unknown): void {
  if (!isFinalRefusal(error)) throw error
  console.error('the change of an agent was refused:', error)
}

async function deleteMessages(id: number): Promise<void> {
  for (const { messageid, deleted } of messages.list(id)) {
    if (deleted) continue
    await gateway.deleteMessage({ id: messageid }).catch(logRefusal)
    messages.markDeleted(messageid)
  }
}

/** Chatwoot's own version has no edits; forks of it have. */
async function editMessage({ id, content }: MessageCallback): Promise<void> {
  const [first] = messages.list(id)
  if (!first?.byAgent || !content || content === first.text) return
  await gateway.editMessage({ id: first.messageid, text: toNetworkText(content) }).catch(logRefusal)
  messages.changeText(first.messageid, content)
}

/** Sent again at the agent's wish; or never sent, because the bridge was away when it was written. */
function retryMessage(callback: MessageCallback, chat: string, queue: JobQueue): void {
  const failed = storedValues.get(`failed ${callback.id}`)
  if (failed === undefined && Date.now() - readTime(callback.created_at) > MAX_AGE_MS) return
  const attempt = failed === undefined ? 0 : Number(failed) + 1
  queue.add(nameSend(callback.id, attempt), chat, 'send', { callback, attempt })
}

export async function applyChange(callback: MessageCallback, job: Job, queue: JobQueue): Promise<void> {
  const { id, content_attributes } = callback
  if (content_attributes?.deleted) return deleteMessages(id)
  if (messages.list(id).length > 0) return editMessage(callback)
  if (isReply(callback) && !content_attributes?.external_error) retryMessage(callback, job.chat, queue)
}

/** Not a conversation whose messages were only taken over: the bridge resolved it itself. */
export async function archiveChat(callback: StatusCallback): Promise<void> {
  const chat = chats.findByConversation(callback.id)
  if (chat?.live) await gateway.archiveChat({ number: chat.chatid, archive: true }).catch(logRefusal)
}
