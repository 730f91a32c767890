// The names of events that a webhook can choose here, and which events of the contract they are made of.

import type { EventName } from '@msgnet/shared/contract/event-names.ts'

/** By the name in a choice. */
const sources: Record<string, EventName> = {
  MESSAGES_UPSERT: 'messages',
  SEND_MESSAGE: 'messages',
  MESSAGES_UPDATE: 'messages_update',
  MESSAGES_DELETE: 'messages_update',
  MESSAGES_EDITED: 'messages_edit',
  SEND_MESSAGE_UPDATE: 'messages_edit',
  MESSAGES_SET: 'history',
  CHATS_SET: 'history',
  CONTACTS_UPSERT: 'history',
  CHATS_UPSERT: 'messages',
  CHATS_UPDATE: 'messages',
  CONTACTS_UPDATE: 'messages',
  CONNECTION_UPDATE: 'connection',
  STATUS_INSTANCE: 'connection',
  LOGOUT_INSTANCE: 'connection',
  QRCODE_UPDATED: 'connection',
  GROUPS_UPSERT: 'groups',
  GROUPS_UPDATE: 'groups',
  GROUP_PARTICIPANTS_UPDATE: 'groups',
  CALL: 'call',
  PRESENCE_UPDATE: 'presence',
}

/** They say again what another event says, so a webhook gets them that names them. */
const onlyNamed =
  'chats.upsert chats.update contacts.update send.message.update status.instance logout.instance'.split(' ')

/** Of the contract, and delivered never: a webhook that chooses only what is not sent here. */
const NOTHING = 'sender'

/** As it is in a choice: `messages.upsert` is MESSAGES_UPSERT. */
const toChoice = (event: string): string => event.toUpperCase().replace(/[.-]/g, '_')

/** The names that a webhook chooses, in one spelling; undefined for all of them. Others can be chosen, and are never sent. */
export function readChoices(events: unknown): string[] | undefined {
  if (!Array.isArray(events) || events.length === 0) return undefined
  // The list of Evolution has the singular, its event the plural.
  const names = events.map((event) => toChoice(String(event)).replace(/^GROUP_UPDATE$/, 'GROUPS_UPDATE'))
  return [...new Set(names)]
}

/** The events of the contract of which they are made. */
export function listSources(choices: readonly string[] | undefined): string[] {
  const names = choices ?? Object.keys(sources)
  const found = names.flatMap((name) => {
    // A vote is a message here.
    const also = name === 'MESSAGES_UPSERT' ? ['messages_update'] : []
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined
    return source ? [source, ...also] : []
  })
  return found.length > 0 ? [...new Set(found)] : [NOTHING]
}

export const isChosen = (choices: readonly string[] | undefined, event: string): boolean =>
  choices ? choices.includes(toChoice(event)) : !onlyNamed.includes(event)
