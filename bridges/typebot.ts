// Connects a flow of Typebot with chats: each message starts or continues a session, each bubble is a send, each choice a poll.
// GATEWAY=http://127.0.0.1:8787 TOKEN=… SECRET=whsec_… BRIDGE_URL=http://127.0.0.1:8790 TYPEBOT=https://typebot.io BOT=… PORT=8790 node typebot.ts

import { GatewayError, type Repeatable } from '@msgnet/client/client.ts'
import { gateway, postJson, ServiceRefused, startBridge } from './bridge.ts'
import { storedValues } from './bridge-store.ts'
import { readVariable } from './bridge-variables.ts'
import { isFinalRefusal } from './final-refusals.ts'

const api = `${readVariable('TYPEBOT')}/api/v1`
const bot = readVariable('BOT')

const NOT_FOUND = 404

/** The fields of Typebot's response that are read here. */
interface FlowResponse {
  sessionId?: string
  messages: { type: string; content: { markdown?: string; url?: string } }[]
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

/** A file that is not to be had, or a message that may have been sent: another try would not help. */
const isFutile = (error: unknown): error is GatewayError =>
  error instanceof GatewayError && (error.code === 'media_unavailable' || error.outcomeUnknown)

/**
 * Sends a bubble once, however often its message is delivered: under a key, and never again once its outcome is stored, because the
 * gateway delivers for longer than it remembers keys. One that it refuses is left out: repeated, it would keep back all chats.
 */
async function sendOnce(name: string, send: (options: Repeatable) => Promise<unknown>): Promise<void> {
  if (storedValues.get(`answer ${name}`)) return
  try {
    await send({ idempotencyKey: `typebot-${name}` })
  } catch (error) {
    if (!isFinalRefusal(error) && !isFutile(error)) throw error
    console.error(`the bubble ${name} is left out:`, error)
  }
  storedValues.set(`answer ${name}`, 'done')
}

/** Bubbles are named by their places: in a loop of the flow one comes several times under its id. */
async function sendBubbles(number: string, response: FlowResponse, messageid: string): Promise<void> {
  for (const [place, { type, content }] of response.messages.entries()) {
    const name = `${messageid}-${place}`
    const { markdown: text = '', url: file } = content
    if (type === 'text') await sendOnce(name, (options) => gateway.sendText({ number, text }, options))
    if ((type === 'image' || type === 'video' || type === 'audio') && file)
      await sendOnce(name, (options) => gateway.sendMedia({ number, type, file }, options))
  }
  const { input } = response
  const choices =
    input?.type === 'choice input' ? (input.items ?? []).flatMap((one) => one.content ?? []) : []
  if (input && choices.length > 1)
    await sendOnce(`${messageid}-${input.id}`, (options) =>
      gateway.sendMenu({ number, type: 'poll', text: 'Please choose', choices }, options),
    )
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
