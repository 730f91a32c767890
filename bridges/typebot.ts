// Connects a flow of Typebot with chats: each message starts or continues a session, each bubble is a send, each choice a poll.
// GATEWAY=http://127.0.0.1:8787 TOKEN=… SECRET=whsec_… BRIDGE_URL=http://127.0.0.1:8790 TYPEBOT=https://typebot.io BOT=… PORT=8790 node typebot.ts

import { gateway, postJson, ServiceRefused, startBridge } from './bridge.ts'
import { storedValues } from './bridge-store.ts'
import { readVariable } from './bridge-variables.ts'

const api = `${readVariable('TYPEBOT')}/api/v1`
const bot = readVariable('BOT')

const NOT_FOUND = 404

/** The fields of Typebot's response that are read here. */
interface FlowResponse {
  sessionId?: string
  messages: { id: string; type: string; content: { markdown?: string; url?: string } }[]
  input?: { id: string; type: string; items?: { content?: string }[] }
}

/** Requested once for each message, so that the flow does not continue twice. A response without an input ends the flow; the next message starts it again, as does one whose session has expired. */
async function continueSession(chatid: string, text: string, messageid: string): Promise<FlowResponse> {
  const stored = storedValues.get(`answer ${messageid}`)
  if (stored) return JSON.parse(stored)
  const message = { type: 'text', text }
  const request = { message, textBubbleContentFormat: 'markdown' }
  const session = storedValues.get(`session ${chatid}`)
  const startChat = () => postJson<FlowResponse>(`${api}/typebots/${bot}/startChat`, request)
  const response = session
    ? await postJson<FlowResponse>(`${api}/sessions/${session}/continueChat`, request).catch((error) => {
        // Sessions expire, and then they are not there any more.
        if (error instanceof ServiceRefused && error.status === NOT_FOUND) return startChat()
        throw error
      })
    : await startChat()
  storedValues.set(`answer ${messageid}`, JSON.stringify(response))
  storedValues.set(`session ${chatid}`, response.input ? (response.sessionId ?? session ?? '') : '')
  return response
}

/** The Idempotency-Key is made of the ids of the message and of the bubble: a repeated delivery sends nothing twice. */
async function sendBubbles(number: string, response: FlowResponse, messageid: string): Promise<void> {
  const createOptions = (id: string) => ({ idempotencyKey: `typebot-${messageid}-${id}` })
  for (const { id, type, content } of response.messages) {
    if (type === 'text') await gateway.sendText({ number, text: content.markdown ?? '' }, createOptions(id))
    if ((type === 'image' || type === 'video' || type === 'audio') && content.url)
      await gateway.sendMedia({ number, type, file: content.url }, createOptions(id))
  }
  const { input } = response
  const choices =
    input?.type === 'choice input' ? (input.items ?? []).flatMap((one) => one.content ?? []) : []
  if (input && choices.length > 1)
    await gateway.sendMenu({ number, type: 'poll', text: 'Please choose', choices }, createOptions(input.id))
}

async function runFlow(chatid: string, text: string, messageid: string): Promise<void> {
  await gateway.showPresence({ number: chatid, presence: 'composing' })
  await sendBubbles(chatid, await continueSession(chatid, text, messageid), messageid)
}

startBridge(
  ['messages', 'messages_update'],
  async (envelope) => {
    if (envelope.EventType === 'messages') {
      const { message } = envelope
      if (!message.fromMe && !message.isGroup && message.text && !message.reaction)
        await runFlow(message.chatid, message.text, message.messageid)
    }
    if (envelope.EventType === 'messages_update' && envelope.type === 'PollVote') {
      const { chatid, vote, IsFromMe } = envelope.event
      if (!IsFromMe && vote?.length) await runFlow(chatid, vote.join(', '), envelope.eventId)
    }
  },
  // Typebot sends no callbacks.
  async () => undefined,
)
