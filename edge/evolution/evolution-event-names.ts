// The names of events that a webhook can choose here, and which events of the contract they are made of.

import type { EventName } from '@msgnet/shared/contract/event-names.ts'
import { createInvalid } from './evolution-errors.ts'

/** By the event of the contract that they are made of. A vote is a message here. */
const namesBySource = {
  messages: 'MESSAGES_UPSERT SEND_MESSAGE CHATS_UPSERT CHATS_UPDATE CONTACTS_UPDATE'.split(' '),
  messages_update: 'MESSAGES_UPSERT MESSAGES_UPDATE MESSAGES_DELETE'.split(' '),
  messages_edit: ['MESSAGES_EDITED', 'SEND_MESSAGE_UPDATE'],
  history: ['MESSAGES_SET', 'CHATS_SET', 'CONTACTS_UPSERT'],
  connection: 'CONNECTION_UPDATE STATUS_INSTANCE LOGOUT_INSTANCE QRCODE_UPDATED'.split(' '),
  groups: ['GROUPS_UPSERT', 'GROUPS_UPDATE', 'GROUP_PARTICIPANTS_UPDATE'],
  call: ['CALL'],
  presence: ['PRESENCE_UPDATE'],
} satisfies Partial<Record<EventName, string[]>>

/** Names that Evolution has, of events that never come here. */
const unsent =
  'APPLICATION_STARTUP CHATS_DELETE CONTACTS_SET LABELS_EDIT LABELS_ASSOCIATION TYPEBOT_START TYPEBOT_CHANGE_STATUS REMOVE_INSTANCE INSTANCE_CREATE INSTANCE_DELETE NEW_JWT_TOKEN CHAMA_AI_ACTION'
const known = new Set([...Object.values(namesBySource).flat(), ...unsent.split(' ')])

/** They say again what another event says, so a webhook gets them that names them. */
const onlyNamed =
  'chats.upsert chats.update contacts.update send.message.update status.instance logout.instance'.split(' ')

/** Of the contract, and delivered never: a webhook that chooses only what is not sent here. */
const NOTHING = 'sender'

/** As it is in a choice: `messages.upsert` is MESSAGES_UPSERT. */
const toChoice = (event: string): string => event.toUpperCase().replace(/[.-]/g, '_')

/** The names that a webhook chooses, in one spelling; undefined for all of them. As Evolution does, it refuses a name that there is not. */
export function readChoices(events: unknown): string[] | undefined {
  if (!Array.isArray(events) || events.length === 0) return undefined
  // The list of Evolution has the singular, its event the plural.
  const names = events.map((event) => toChoice(String(event)).replace(/^GROUP_UPDATE$/, 'GROUPS_UPDATE'))
  const wrong = names.find((name) => !known.has(name))
  if (wrong !== undefined)
    throw createInvalid(`instance.events must not name ${wrong}: there is no such event`)
  return [...new Set(names)]
}

/** The events of the contract of which they are made. */
export function listSources(choices: readonly string[] | undefined): string[] {
  const found = Object.entries(namesBySource).filter(
    ([, names]) => !choices || names.some((name) => choices.includes(name)),
  )
  return found.length > 0 ? found.map(([source]) => source) : [NOTHING]
}

export const isChosen = (choices: readonly string[] | undefined, event: string): boolean =>
  choices ? choices.includes(toChoice(event)) : !onlyNamed.includes(event)
