// What an agent writes is sent to the network once: each part under a key made of the message's id.

import { GatewayError, GatewayUnreachable, type MessageRecord } from '@msgnet/client/client.ts'
import { gateway } from '../bridge.ts'
import { storedValues } from '../bridge-store.ts'
import { begunMessages, chats, messages } from './bridged-messages.ts'
import { findCallbackChat, type MessageCallback } from './callback-requests.ts'
import { chatwoot } from './chatwoot-client.ts'
import { settings } from './chatwoot-settings.ts'
import { TRACK_SOURCE } from './forward-event.ts'
import { Hopeless, type Job } from './job-queue.ts'
import { nameByAddress, readBytes } from './read-file.ts'
import { toNetworkText } from './text-formats.ts'

/** As base64 they fit into a request; larger ones the gateway fetches itself. */
const MAX_INLINE_BYTES = 8 * 1024 * 1024
/** An agent who waits for longer is told that it failed. */
const PATIENCE_MS = 3600 * 1000
const RETRIED = [401, 408, 409, 429]

/** The server says that a file is not there, or is there for nobody any more. */
const GONE = [403, 404, 410]

/** A file of an agent cannot be read from Chatwoot. */
class FileUnavailable extends Error {}

type Attachment = NonNullable<MessageCallback['attachments']>[number]
type Kind = 'image' | 'video' | 'ptt' | 'document'
type Part = { text: string; file?: Attachment }

const imageTypes = ['image/jpeg', 'image/png', 'image/webp']

function createText({ content, content_attributes, sender }: MessageCallback): string {
  const items = (content_attributes?.items ?? []).flatMap(({ title }) => title ?? [])
  const text = [toNetworkText(content ?? ''), ...items.map((title) => `- ${title}`)]
    .filter(Boolean)
    .join('\n')
  const isSigned = settings.signature && sender?.type === 'user' && sender.name && text
  return isSigned ? `*${sender.name}:*\n${text}` : text
}

/** A voice note has no caption, so a text before one is a message of its own. */
function listParts(callback: MessageCallback): Part[] {
  const text = createText(callback)
  const [first, ...others] = (callback.attachments ?? []).filter(({ data_url }) => data_url)
  if (!first) return text ? [{ text }] : []
  const rest = others.map((file) => ({ text: '', file }))
  if (text && first.file_type === 'audio') return [{ text }, { text: '', file: first }, ...rest]
  return [{ text, file: first }, ...rest]
}

function chooseKind({ file_type }: Attachment, type: string): Kind {
  if (file_type === 'image' && imageTypes.includes(type)) return 'image'
  if (file_type === 'video' && type === 'video/mp4') return 'video'
  return file_type === 'audio' ? 'ptt' : 'document'
}

async function fetchFile({ id, data_url }: Attachment) {
  const name = `the file ${id} of Chatwoot`
  try {
    const response = await fetch(data_url ?? '', { signal: AbortSignal.timeout(60_000) })
    const why = `${name} was answered with ${response.status}`
    if (GONE.includes(response.status)) throw new Hopeless(why)
    if (!response.ok) throw new FileUnavailable(why)
    return { response, bytes: await readBytes(response, MAX_INLINE_BYTES) }
  } catch (cause) {
    if (cause instanceof Hopeless || cause instanceof FileUnavailable) throw cause
    throw new FileUnavailable(`${name} could not be read`, { cause })
  }
}

async function readFile(file: Attachment) {
  const { response, bytes } = await fetchFile(file)
  const type = response.headers.get('content-type')?.split(';', 1)[0] ?? 'application/octet-stream'
  const docName = nameByAddress(file.data_url ?? '')
  const kind = chooseKind(file, type)
  if (!bytes) return { kind, type, docName, file: response.url }
  return { kind, type, docName, file: `data:${type};base64,${bytes.toString('base64')}` }
}

/** A repeated request of a large file may have another link, and so not be the same request: then the message is found by its track_id. */
async function findSent(error: unknown, track_id: string): Promise<MessageRecord> {
  if (!(error instanceof GatewayError) || error.code !== 'idempotency_mismatch') throw error
  const { messages: found } = await gateway.findMessages({ track_id, track_source: TRACK_SOURCE })
  if (found[0]) return found[0]
  throw error
}

async function sendPart(number: string, part: Part, track_id: string, replyid: string | undefined) {
  const options = { idempotencyKey: `chatwoot-${settings.inbox}-${track_id}` }
  const fields = { number, track_source: TRACK_SOURCE, track_id, readchat: true, ...(replyid && { replyid }) }
  if (!part.file) return gateway.sendText({ ...fields, text: part.text }, options)
  const { kind, type, docName, file } = await readFile(part.file)
  const media = { ...fields, file, text: part.text }
  const send = (as: Kind, key: string) =>
    gateway.sendMedia(
      as === 'document' ? { ...media, type: as, docName, mimetype: type } : { ...media, type: as },
      { idempotencyKey: key },
    )
  try {
    return await send(kind, options.idempotencyKey)
  } catch (error) {
    // Not what its name says: sent as a file.
    const isUnfit = error instanceof GatewayError && [400, 415].includes(error.status) && kind !== 'document'
    return isUnfit
      ? await send('document', `${options.idempotencyKey}-file`)
      : await findSent(error, track_id)
  }
}

function findQuoted({ content_attributes }: MessageCallback): string | undefined {
  const { in_reply_to, in_reply_to_external_id } = content_attributes ?? {}
  const [first] = in_reply_to ? messages.list(in_reply_to) : []
  return first?.messageid ?? in_reply_to_external_id ?? undefined
}

/** The gateway waits no longer for the network; it reports the outcome of this message later. */
function readUnknown(error: unknown): string {
  if (error instanceof GatewayError && error.outcomeUnknown && error.messageid) return error.messageid
  throw error
}

/** An agent began this chat: what the contact writes belongs to the same conversation. */
async function adoptChat(record: MessageRecord, { conversation }: MessageCallback): Promise<void> {
  const { chatid, chatlid: lid } = record
  const stored = chats.find(chatid, lid)
  const { sender } = conversation.meta ?? {}
  if (stored?.conversation === conversation.id || !sender) return
  if (!sender.identifier) await chatwoot.updateContact(sender.id, { identifier: chatid })
  const { name = '', picture = '' } = stored ?? {}
  const source = conversation.contact_inbox?.source_id ?? ''
  const chat = {
    chatid,
    lid,
    contact: sender.id,
    source,
    conversation: conversation.id,
    name,
    picture,
    live: 1,
  }
  chats.save(chat, stored)
}

async function sendParts(callback: MessageCallback, number: string, attempt: number): Promise<void> {
  const parts = listParts(callback)
  const replyid = findQuoted(callback)
  const { id, content, conversation } = callback
  for (const [at, part] of parts.entries()) {
    const track_id = [id, at, attempt].join('.')
    let chatid = number
    const messageid = await sendPart(number, part, track_id, at === 0 ? replyid : undefined).then(
      async (record) => {
        chatid = record.chatid
        await adoptChat(record, callback)
        return record.messageid
      },
      readUnknown,
    )
    messages.save({
      messageid,
      chatid,
      conversation: conversation.id,
      id,
      text: content ?? '',
      fromMe: 1,
      byAgent: 1,
    })
    chats.markLive(chatid)
  }
}

function isFinal(error: unknown, { at }: Job): boolean {
  const isLate = Date.now() - at > PATIENCE_MS
  if (error instanceof FileUnavailable) return isLate
  if (error instanceof GatewayUnreachable || !(error instanceof GatewayError) || error.outcomeUnknown)
    return false
  return isLate || (error.status < 500 && !RETRIED.includes(error.status))
}

/** For Chatwoot the messages of the past have just come in: it greets those who wrote them, and its bots reply. */
const isReplyToPast = ({ sender, conversation }: MessageCallback): boolean =>
  sender?.type !== 'user' && chats.findByConversation(conversation.id)?.live === 0

/** `attempt` counts how often the agent had it tried again. */
export async function sendReply(
  { callback, attempt }: { callback: MessageCallback; attempt: number },
  job: Job,
): Promise<void> {
  const number = findCallbackChat(callback.conversation)
  begunMessages.see(callback.id)
  if (isReplyToPast(callback)) return
  try {
    if (!number) throw new Hopeless('the contact has neither a number nor an id of the network')
    await sendParts(callback, number, attempt)
    if (attempt > 0) await chatwoot.setMessageStatus(callback.conversation.id, callback.id, 'sent')
  } catch (error) {
    if (!(error instanceof Hopeless) && !isFinal(error, job)) throw error
    storedValues.set(`failed ${callback.id}`, String(attempt))
    const why = error instanceof Error ? error.message : String(error)
    await chatwoot.setMessageStatus(callback.conversation.id, callback.id, 'failed', why)
  }
}
