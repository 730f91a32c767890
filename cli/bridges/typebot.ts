// Connects a flow of Typebot with chats: each message begins or continues a session, each bubble is a send, each choice a poll.
// GATEWAY=http://127.0.0.1:8787 TOKEN=… SECRET=whsec_… TYPEBOT=https://typebot.io BOT=… PORT=8790 node typebot.ts

import { bridge, gateway, memory, needed, post } from './bridge.ts'

const api = `${needed('TYPEBOT')}/api/v1`
const bot = needed('BOT')

/** The fields of Typebot's answer that are read here. */
interface Answer {
  sessionId?: string
  messages: { id: string; type: string; content: { markdown?: string; url?: string } }[]
  input?: { id: string; type: string; items?: { content?: string }[] }
}

/** Requested once for each message, so that the flow does not continue twice. An answer without an input ends the flow; the next message begins it again. */
async function ask(chatid: string, text: string, messageid: string): Promise<Answer> {
  const before = memory.get(`answer ${messageid}`)
  if (before) return JSON.parse(before)
  const message = { type: 'text', text }
  const asked = { message, textBubbleContentFormat: 'markdown' }
  const session = memory.get(`session ${chatid}`)
  const answer: Answer = session
    ? await post<Answer>(`${api}/sessions/${session}/continueChat`, asked)
    : await post<Answer>(`${api}/typebots/${bot}/startChat`, asked)
  memory.set(`answer ${messageid}`, JSON.stringify(answer))
  memory.set(`session ${chatid}`, answer.input ? (answer.sessionId ?? session ?? '') : '')
  return answer
}

/** The Idempotency-Key is made of the answered message and the bubble: a repeated delivery sends nothing twice. */
async function say(number: string, answer: Answer, messageid: string): Promise<void> {
  const key = (id: string) => ({ idempotencyKey: `typebot-${messageid}-${id}` })
  for (const { id, type, content } of answer.messages) {
    if (type === 'text') await gateway.sendText({ number, text: content.markdown ?? '' }, key(id))
    if ((type === 'image' || type === 'video' || type === 'audio') && content.url)
      await gateway.sendMedia({ number, type, file: content.url }, key(id))
  }
  const { input } = answer
  const choices =
    input?.type === 'choice input' ? (input.items ?? []).flatMap((one) => one.content ?? []) : []
  if (input && choices.length > 1)
    await gateway.sendMenu({ number, type: 'poll', text: 'Please choose', choices }, key(input.id))
}

async function continueWith(chatid: string, text: string, messageid: string): Promise<void> {
  await gateway.showPresence({ number: chatid, presence: 'composing' })
  await say(chatid, await ask(chatid, text, messageid), messageid)
}

bridge(
  async (envelope) => {
    if (envelope.EventType === 'messages') {
      const { message } = envelope
      if (!message.fromMe && !message.isGroup && message.text && !message.reaction)
        await continueWith(message.chatid, message.text, message.messageid)
    }
    if (envelope.EventType === 'messages_update' && envelope.type === 'PollVote') {
      const { chatid, vote, IsFromMe } = envelope.event
      if (!IsFromMe && vote?.length) await continueWith(chatid, vote.join(', '), envelope.eventId)
    }
  },
  // Typebot sends no callbacks.
  async () => undefined,
)
