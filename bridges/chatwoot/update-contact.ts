// Names and pictures of contacts in Chatwoot follow those of the network, unless an agent has chosen another name.

import { createHash } from 'node:crypto'
import { GatewayError } from '@msgnet/client/client.ts'
import { gateway } from '../bridge.ts'
import { type BridgedChat, chats } from './bridged-messages.ts'
import { chatwoot } from './chatwoot-client.ts'
import type { ChatFacts } from './find-conversation.ts'
import { Hopeless, type Job } from './job-queue.ts'

const MAX_ATTEMPTS = 6

async function updateName(chat: BridgedChat, name: string): Promise<string> {
  if (name === chat.name || name === chat.chatid) return chat.name
  const contact = await chatwoot.readContact(chat.contact)
  if (contact.name === chat.name) await chatwoot.updateContact(chat.contact, { name })
  return name
}

/** The link of a picture changes every time, the small picture itself only with it. */
async function updatePicture(chat: BridgedChat): Promise<string> {
  const { imagePreview } = await gateway.showChat({ number: chat.chatid, inline: true })
  const picture = imagePreview && createHash('sha256').update(imagePreview).digest('base64')
  if (!picture || picture === chat.picture) return picture
  const { image } = await gateway.showChat({ number: chat.chatid })
  if (image) await chatwoot.updateContact(chat.contact, { avatar_url: image })
  return picture
}

/** Once a day and name. That it fails keeps no message back. */
export async function updateContact(facts: ChatFacts, job: Job): Promise<void> {
  const chat = chats.find(facts.chatid, facts.lid)
  if (!chat) return
  try {
    const name = await updateName(chat, facts.name)
    const picture = await updatePicture(chat)
    const present = chats.find(chat.chatid, '')
    if (present) chats.save({ ...present, name, picture })
  } catch (error) {
    const isRefused = error instanceof GatewayError && error.status < 500 && error.status !== 429
    if (isRefused || job.attempts >= MAX_ATTEMPTS) throw new Hopeless(String(error), { cause: error })
    throw error
  }
}
