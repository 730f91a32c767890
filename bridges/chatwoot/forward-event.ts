// Events of the gateway become messages, states, deletions and contacts in Chatwoot.

import type { MessageRecord } from '@msgnet/client/client.ts'
import { showMentionedNames } from '@msgnet/shared/mention-names.ts'
import { type Envelope, gateway } from '../bridge.ts'
import { chats, messages } from './bridged-messages.ts'
import { ChatwootRefused, chatwoot } from './chatwoot-client.ts'
import { settings } from './chatwoot-settings.ts'
import { type ChatFacts, readStoredFacts } from './find-conversation.ts'
import type { Job, JobQueue } from './job-queue.ts'
import { type FileOfMessage, postMessage } from './post-message.ts'
import { isFileLost, readBytes } from './read-file.ts'
import { describeMessage, describeSender, toMarkdown } from './text-formats.ts'

export const TRACK_SOURCE = 'chatwoot'

type Event<Type extends Envelope['EventType']> = Extract<Envelope, { EventType: Type }>
type Update = Event<'messages_update'>

/** The phone may be offline; it is asked for the file again for some ten minutes. */
const MAX_DOWNLOADS = 9
/** In memory at a time; as large as a file that may be sent. */
const MAX_FILE_BYTES = 100 * 1024 * 1024
const extensions: Record<string, string> = {
  'image/jpeg': 'jpg',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/mp4': 'm4a',
  'text/plain': 'txt',
}

export const isBridged = (chatid: string): boolean =>
  chatid.endsWith('@g.us') ? settings.groups : /@(s\.msgnet\.net|lid)$/.test(chatid)

export function readFacts({ chatid, chatlid, isGroup, groupName }: MessageRecord, name: string): ChatFacts {
  const digits = /^(\d+)@s\./.exec(chatid)?.[1]
  const lid = chatlid || (chatid.endsWith('@lid') ? chatid : '')
  const phone = digits ? `+${digits}` : ''
  return { chatid, lid, name: (isGroup && groupName) || name || phone || chatid, phone }
}

/** Written in Chatwoot, and so there already. */
export const isFromChatwoot = ({ wasSentByApi, track_source }: MessageRecord): boolean =>
  wasSentByApi && track_source === TRACK_SOURCE

export function createContent(message: MessageRecord): string {
  const text = describeMessage(message)
  if (!message.isGroup || message.fromMe) return text
  return text ? `${describeSender(message)}\n\n${text}` : describeSender(message)
}

function chooseFileName({ content, mediaType }: MessageRecord, type: string): string {
  if (typeof content.fileName === 'string' && content.fileName) return content.fileName
  const plain = type.split(';', 1)[0] ?? ''
  return `${mediaType === 'ptt' ? 'voice' : mediaType}.${extensions[plain] ?? plain.split('/')[1] ?? 'bin'}`
}

/** Undefined if nobody has the file any more. */
async function downloadFile(message: MessageRecord, { attempts }: Job): Promise<FileOfMessage | undefined> {
  if (message.type !== 'media' || message.content.viewOnce) return undefined
  try {
    const { mimetype: type, fileURL = '' } = await gateway.downloadMessage({ id: message.messageid })
    const response = await fetch(fileURL, { signal: AbortSignal.timeout(60_000) })
    if (!response.ok) throw new Error(`the file of ${message.messageid} was answered with ${response.status}`)
    const bytes = await readBytes(response, MAX_FILE_BYTES)
    if (bytes) return { name: chooseFileName(message, type), type, bytes: new Uint8Array(bytes) }
    console.error(`the file of ${message.messageid} has more than ${MAX_FILE_BYTES} bytes: it is left out`)
    return undefined
  } catch (error) {
    if (!isFileLost(error) && attempts < MAX_DOWNLOADS) throw error
    console.error(`the file of ${message.messageid} is not to be had:`, error)
    return undefined
  }
}

async function forwardMessage(
  { message, chat }: Event<'messages'>,
  job: Job,
  queue: JobQueue,
): Promise<void> {
  if (!isBridged(message.chatid) || isFromChatwoot(message) || messages.find(message.messageid)) return
  if (message.type === 'reaction' && !message.text) return
  const name = chat.wa_name || chat.name || (message.fromMe ? '' : message.senderName)
  const facts = readFacts(message, name)
  const file = await downloadFile(message, job)
  const isLost = message.type === 'media' && !file
  const content = createContent(message)
  await postMessage(facts, {
    messageid: message.messageid,
    fromMe: message.fromMe,
    content: isLost
      ? [content, `(${message.mediaType}: on the phone only)`].filter(Boolean).join('\n')
      : content,
    quoted: message.reaction || message.quoted,
    file,
  })
  const today = new Date().toISOString().slice(0, 10)
  queue.add(`contact ${facts.chatid} ${facts.name} ${today}`, `contact ${facts.chatid}`, 'contact', facts)
}

/** Statuses of Chatwoot; it takes no delivery after a reading. In a group one reader is not all of them. */
function chooseStatus({ state, event }: Update): string | undefined {
  if (state === 'Sent' || state === 'Failed' || state === 'Delivered') return state.toLowerCase()
  if (state === 'Read' || state === 'Played') return event.IsGroup ? 'delivered' : 'read'
  return undefined
}

async function forwardDeletion({ event, eventId }: Update): Promise<void> {
  for (const messageid of event.MessageIDs) {
    const message = messages.find(messageid)
    if (!message || message.deleted) continue
    const { chatid, conversation, id, fromMe } = message
    if (settings.deletions === 'note') {
      const content = '(deleted by its sender)'
      await postMessage(readStoredFacts(chatid), {
        messageid: eventId,
        fromMe: fromMe === 1,
        content,
        quoted: messageid,
      })
    } else await chatwoot.deleteMessage(conversation, id).catch(ignoreMissing)
    messages.markDeleted(messageid)
  }
}

const ignoreMissing = (error: unknown): void => {
  if (!(error instanceof ChatwootRefused) || error.status !== 404) throw error
}

async function forwardUpdate(update: Update): Promise<void> {
  const { event, type, eventId } = update
  if (type === 'DeletedMessage') return forwardDeletion(update)
  if (type === 'PollVote' && event.vote?.length && !event.IsFromMe) {
    const [quoted = ''] = event.MessageIDs
    const content = event.vote.join(', ')
    if (messages.find(quoted))
      await postMessage(readStoredFacts(event.chatid), { messageid: eventId, fromMe: false, content, quoted })
    return
  }
  const status = chooseStatus(update)
  if (!status) return
  for (const messageid of event.MessageIDs) {
    const message = messages.find(messageid)
    if (message?.fromMe)
      await chatwoot
        .setMessageStatus(message.conversation, message.id, status, event.error)
        .catch(ignoreMissing)
  }
}

/** Chatwoot cannot change a text, so the new one is a reply to the old one. */
async function forwardEdit({ event, eventId }: Event<'messages_edit'>): Promise<void> {
  const message = messages.find(event.messageid)
  if (!message || (message.byAgent && message.text === event.text)) return
  await postMessage(readStoredFacts(message.chatid), {
    messageid: eventId,
    fromMe: message.fromMe === 1,
    content: event.unreadable ? '✏️ …' : `✏️ ${toMarkdown(showMentionedNames(event.text, event.mentions))}`,
    quoted: event.messageid,
  })
}

export async function forwardEvent(envelope: Envelope, job: Job, queue: JobQueue): Promise<void> {
  if (envelope.EventType === 'messages') return forwardMessage(envelope, job, queue)
  if (envelope.EventType === 'messages_update') return forwardUpdate(envelope)
  if (envelope.EventType === 'messages_edit') return forwardEdit(envelope)
  if (envelope.EventType !== 'groups' || !envelope.event.Name) return
  const { JID: chatid, Name: name } = envelope.event
  const facts: ChatFacts = { chatid, lid: '', name, phone: '' }
  if (chats.find(chatid, '')) queue.add(`contact ${envelope.eventId}`, `contact ${chatid}`, 'contact', facts)
}

/** Undefined for an event that concerns no chat. */
export function findEventChat(envelope: Envelope): string | undefined {
  if (envelope.EventType === 'messages') return envelope.message.chatid
  if (envelope.EventType === 'messages_update' || envelope.EventType === 'messages_edit')
    return envelope.event.chatid
  return envelope.EventType === 'groups' ? envelope.event.JID : undefined
}
