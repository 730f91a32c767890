// Contacts write in Chatwoot, agents reply in it: the gateway's webhooks on one side, an API channel with its callback on the other.
// GATEWAY=http://127.0.0.1:8787 TOKEN=… SECRET=whsec_… CHATWOOT=https://app.chatwoot.com INBOX=… PORT=8790 node chatwoot.ts

import type { MessageRecord } from '../../client/client.ts'
import { gateway, postJson, readVariable, startBridge, storedValues } from './bridge.ts'

const contacts = `${readVariable('CHATWOOT')}/public/api/v1/inboxes/${readVariable('INBOX')}/contacts`

/** The fields of Chatwoot's callback that are read here. */
interface Callback {
  event: string
  /** The id of the message, or of the conversation. */
  id: number
  content?: string | null
  message_type?: string
  private?: boolean
  status?: string
  conversation?: { meta: { sender: { identifier?: string | null; phone_number?: string | null } } }
  meta?: { sender: { identifier?: string | null; phone_number?: string | null } }
}

/** The URL of the conversation with this contact, which is created if there is none. */
async function findConversation({ chatid, senderName, sender_pn }: MessageRecord): Promise<string> {
  const stored = storedValues.get(`chat ${chatid}`)
  if (stored) return stored
  const phone_number = /^(\d+)@/.exec(sender_pn)?.[1]
  const { source_id } = await postJson<{ source_id: string }>(contacts, {
    identifier: chatid,
    name: senderName || chatid,
    ...(phone_number && { phone_number: `+${phone_number}` }),
  })
  const contact = `${contacts}/${source_id}/conversations`
  const { id } = await postJson<{ id: number }>(contact, {})
  storedValues.set(`chat ${chatid}`, `${contact}/${id}`)
  return `${contact}/${id}`
}

async function forwardToAgent(message: MessageRecord): Promise<void> {
  const content = message.text || `(${message.mediaType || message.type})`
  await postJson(`${await findConversation(message)}/messages`, { content, echo_id: message.messageid })
}

/** The Idempotency-Key is made of the message's id: a repeated callback sends it once. */
async function sendAgentReply({ id, content }: Callback, number: string): Promise<void> {
  const message = {
    number,
    text: content ?? '',
    track_source: 'chatwoot',
    track_id: String(id),
    readchat: true,
  }
  await gateway.sendText(message, { idempotencyKey: `chatwoot-${id}` })
}

startBridge(
  async (envelope) => {
    if (envelope.EventType === 'messages') {
      const { message } = envelope
      if (!message.fromMe && !message.isGroup && !message.reaction) await forwardToAgent(message)
    }
    if (envelope.EventType === 'messages_update' && envelope.state === 'Read') {
      const conversation = storedValues.get(`chat ${envelope.event.chatid}`)
      if (conversation) await postJson(`${conversation}/update_last_seen`, {})
    }
  },
  async (body) => {
    const callback = JSON.parse(body) as Callback
    const { identifier, phone_number } = (callback.conversation ?? callback).meta?.sender ?? {}
    const number = identifier || phone_number
    if (!number) return
    if (callback.event === 'message_created' && callback.message_type === 'outgoing' && !callback.private)
      await sendAgentReply(callback, number)
    if (callback.event === 'conversation_status_changed' && callback.status === 'resolved')
      await gateway.archiveChat({ number, archive: true })
  },
)
