// Finds the contact and the conversation of a chat in Chatwoot, and creates what is missing. What is there is looked up first, so that a kill leaves nothing twice.

import { type BridgedChat, begunMessages, chats } from './bridged-messages.ts'
import { ChatwootRefused, type Contact, type Conversation, chatwoot } from './chatwoot-client.ts'
import { settings } from './chatwoot-settings.ts'
import { Later } from './job-queue.ts'

export interface ChatFacts {
  chatid: string
  lid: string
  name: string
  /** `+` and digits; empty for a group and for a person whose number is not known. */
  phone: string
}

const NOT_FOUND = 404
const UNPROCESSABLE = 422

async function lookUpContact({ chatid, lid, phone }: ChatFacts): Promise<Contact | undefined> {
  for (const identifier of [chatid, lid]) {
    const found = identifier ? await chatwoot.searchContacts(identifier) : []
    const contact = found.find((one) => one.identifier === identifier)
    if (contact) return contact
  }
  const found = phone ? await chatwoot.searchContacts(phone) : []
  return found.find(({ phone_number, identifier }) => phone_number === phone && !identifier)
}

async function createContact(facts: ChatFacts): Promise<{ contact: Contact; source: string }> {
  const { chatid: identifier, name, phone } = facts
  const contact = { identifier, name }
  try {
    const created = await chatwoot.createContact(phone ? { ...contact, phone_number: phone } : contact)
    return { contact: created.contact, source: created.contact_inbox.source_id }
  } catch (error) {
    // Another contact of the account has this number, with an identifier of its own.
    const isTaken = error instanceof ChatwootRefused && error.status === UNPROCESSABLE && phone
    if (!isTaken) throw error
    const created = await chatwoot.createContact(contact)
    return { contact: created.contact, source: created.contact_inbox.source_id }
  }
}

async function findContact(facts: ChatFacts): Promise<{ contact: Contact; source: string }> {
  const contact = await lookUpContact(facts)
  if (!contact) return createContact(facts)
  if (contact.identifier !== facts.chatid)
    await chatwoot.updateContact(contact.id, { identifier: facts.chatid })
  const there = contact.contact_inboxes?.find(({ inbox }) => inbox.id === settings.inbox)
  const { source_id: source } = there ?? (await chatwoot.addToInbox(contact.id))
  return { contact, source }
}

/** An open one first, then one to reopen. */
function chooseConversation(all: Conversation[]): Conversation | undefined {
  const own = all.filter(({ inbox_id }) => inbox_id === settings.inbox).sort((a, b) => b.id - a.id)
  const open = own.find(({ status }) => status !== 'resolved')
  return open ?? (settings.conversation === 'reopen' ? own[0] : undefined)
}

/** An earlier request that got no response may still be at work; before that is over nobody can see whether it was. */
export function waitForEarlier(name: string): void {
  const { at } = begunMessages.find(name) ?? { at: 0 }
  const wait = at + settings.uncertainMs - Date.now()
  if (wait > 0) throw new Later(wait, 'an earlier request may still be at work')
}

async function openConversation(contact: number, source: string): Promise<Conversation> {
  const name = `conversation of ${contact}`
  waitForEarlier(name)
  let conversation = chooseConversation(await chatwoot.listConversations(contact))
  if (!conversation) {
    begunMessages.forget(name)
    begunMessages.begin(name)
    conversation = await chatwoot.createConversation(contact, source)
  }
  begunMessages.forget(name)
  return conversation
}

async function isUsable(conversation: number): Promise<boolean> {
  if (settings.conversation === 'reopen') return true
  return (await chatwoot.readConversation(conversation)).status !== 'resolved'
}

/** Throws away what is stored of a chat whose conversation or contact is no longer in Chatwoot. */
export function forgetMissingChat(error: unknown, chatid: string): void {
  if (error instanceof ChatwootRefused && error.status === NOT_FOUND) chats.forget(chatid)
}

/** What is known of a chat that has a conversation. */
export function readStoredFacts(chatid: string): ChatFacts {
  const { lid = '', name = chatid } = chats.find(chatid, '') ?? {}
  return { chatid, lid, name, phone: '' }
}

/** The stored chat, with its conversation. */
export async function findConversation(facts: ChatFacts): Promise<BridgedChat & { conversation: number }> {
  const stored = chats.find(facts.chatid, facts.lid)
  // A person who was known by the hidden id only has a number now.
  const isRenamed = stored && stored.chatid !== facts.chatid && !facts.chatid.endsWith('@lid')
  if (stored?.conversation && !isRenamed && (await isUsable(stored.conversation)))
    return { ...stored, conversation: stored.conversation }
  const { contact, source } = await findContact(facts)
  const conversation = await openConversation(contact.id, source)
  const { chatid, lid } = facts
  const chat = {
    chatid,
    lid,
    contact: contact.id,
    source,
    conversation: conversation.id,
    name: stored?.name ?? facts.name,
    picture: stored?.picture ?? '',
    live: stored?.live ?? 0,
  }
  chats.save(chat, stored)
  return chat
}
