// Puts a message into Chatwoot once: through kills, repeated events and requests without a response.

import { begunMessages, chats, messages } from './bridged-messages.ts'
import { ChatwootRefused, chatwoot } from './chatwoot-client.ts'
import { type ChatFacts, findConversation, forgetMissingChat, waitForEarlier } from './find-conversation.ts'

/** Of twenty messages each. */
const MAX_PAGES = 50

export interface FileOfMessage {
  name: string
  type: string
  bytes: Uint8Array<ArrayBuffer>
}

export interface NewMessage {
  /** The id of the message on the network, or of what happened to it; the `source_id` in Chatwoot. */
  messageid: string
  fromMe: boolean
  content: string
  /** The messageid of the message that this one replies to. */
  quoted?: string
  file?: FileOfMessage | undefined
  /** Milliseconds, for a message of the past. */
  at?: number
}

/** Chatwoot calls the bridge for this message too; its `source_id` says that an agent did not write it. */
function createFields(message: NewMessage): Record<string, unknown> {
  const { messageid, fromMe, content, quoted, at } = message
  const reply = quoted ? messages.find(quoted) : undefined
  const fields: Record<string, unknown> = {
    content,
    message_type: fromMe ? 'outgoing' : 'incoming',
    private: false,
    source_id: messageid,
  }
  if (quoted) fields.content_attributes = { in_reply_to: reply?.id, in_reply_to_external_id: quoted }
  if (at) fields.external_created_at = Math.floor(at / 1000)
  return fields
}

function createForm(fields: Record<string, unknown>, { bytes, type, name }: FileOfMessage): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields))
    form.append(field, typeof value === 'object' ? JSON.stringify(value) : String(value))
  form.append('attachments[]', new Blob([bytes], { type }), name)
  return form
}

/** A message that an earlier request has made, without a response. */
async function findPosted(conversation: number, messageid: string, seen: number) {
  let before: number | undefined
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const all = await chatwoot.listMessages(conversation, before)
    const posted = all.find(({ source_id }) => source_id === messageid)
    before = all[0]?.id
    if (posted || before === undefined || before <= seen) return posted
  }
  return undefined
}

/** With 422 it refuses too many messages in a minute as well, and that passes. */
const isFileRefused = ({ status, message }: ChatwootRefused): boolean =>
  status === 413 || (status === 422 && !message.includes('Too many messages'))

async function createMessage(conversation: number, message: NewMessage) {
  const fields = createFields(message)
  const { file, content } = message
  if (!file) return chatwoot.createMessage(conversation, fields)
  try {
    return await chatwoot.createMessage(conversation, createForm(fields, file))
  } catch (error) {
    if (!(error instanceof ChatwootRefused) || !isFileRefused(error)) throw error
    const note = `(${file.name}: Chatwoot does not take this file, ${error.status}; it is on the phone)`
    const text = [content, note].filter(Boolean).join('\n')
    return await chatwoot.createMessage(conversation, { ...fields, content: text })
  }
}

/** Posts the message unless it is there. A refusal leaves nothing begun; after silence it is looked for first. */
async function postOnce(chatid: string, conversation: number, message: NewMessage): Promise<void> {
  const { messageid } = message
  const begun = begunMessages.find(messageid)
  waitForEarlier(messageid)
  let posted = begun && (await findPosted(conversation, messageid, begun.seen))
  if (!posted) {
    begunMessages.forget(messageid)
    begunMessages.begin(messageid)
    try {
      posted = await createMessage(conversation, message)
    } catch (error) {
      if (error instanceof ChatwootRefused) begunMessages.forget(messageid)
      throw error
    }
  }
  const { content: text, fromMe } = message
  messages.save({ messageid, chatid, conversation, id: posted.id, text, fromMe: Number(fromMe), byAgent: 0 })
}

export async function postMessage(facts: ChatFacts, message: NewMessage): Promise<void> {
  if (messages.find(message.messageid)) return
  try {
    const { conversation } = await findConversation(facts)
    await postOnce(facts.chatid, conversation, message)
    if (message.at === undefined) chats.markLive(facts.chatid)
  } catch (error) {
    forgetMissingChat(error, facts.chatid)
    throw error
  }
}
