// Status posts and their audience: the phone's contacts, limited by the account's privacy settings.

import { DEFAULT_COLOR } from '@msgnet/shared/contract/status-requests.ts'
import { createRefusal } from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import type { Connection, ContentToSend, NetworkOutcome, Person, StatusAudience } from '../driver/driver.ts'
import type { Session } from '../sessions/host-session.ts'
import { listContacts } from '../store/setting-store.ts'
import { presetTypes } from './media-types.ts'

/** The most entries that a phone's address book may have. */
const MAX_CONTACTS = 50_000

export async function findAudience(
  { store, instance, state }: Session,
  network: Connection,
  deadline: AbortSignal,
): Promise<NetworkOutcome<string[]>> {
  const caughtUp = await network.settings.catchUp(deadline)
  if (caughtUp.kind !== 'done') return caughtUp
  const answer = await network.account.getStatusAudience(deadline)
  if (answer.kind !== 'done') return answer
  const page = { limit: MAX_CONTACTS, offset: 0, contactScope: 'address_book' } as const
  const contacts = await listContacts(store, instance, page)
  const people = await Promise.all(contacts.map(({ jid }) => network.findKnownIds(jid)))
  const selected = selectContacts(people, answer.value)
  const found = await findAccounts(network, selected, deadline)
  if (found.kind !== 'done' || found.value.length === 0) return found
  // The account itself, so that its other devices show the post.
  return { kind: 'done', value: [...found.value, state.now.lid || state.now.jid] }
}

function selectContacts(contacts: Person[], { to, people }: StatusAudience): Person[] {
  if (to === 'only') return people
  if (to === 'contacts') return contacts
  const excluded = new Set(people.flatMap(listJidForms))
  return contacts.filter((contact) => !listJidForms(contact).some((one) => excluded.has(one)))
}

const listJidForms = ({ id, pn, lid }: Person) => [id, pn, lid].filter(Boolean)

/** Contacts without a known `@lid` may have no account; they are checked in one request. */
async function findAccounts(
  network: Connection,
  people: Person[],
  deadline: AbortSignal,
): Promise<NetworkOutcome<string[]>> {
  const strangers = people.filter(({ lid }) => !lid).map(({ id }) => id)
  if (strangers.length === 0) return { kind: 'done', value: people.map(({ lid }) => lid) }
  const answer = await network.checkNumbers(strangers, deadline)
  if (answer.kind !== 'done') return answer
  const found = answer.value.flatMap(({ exists, person }) => (exists ? [person.lid || person.pn] : []))
  return { kind: 'done', value: [...people.map(({ lid }) => lid).filter(Boolean), ...found] }
}

export const noAudience = createRefusal(
  'operation_refused',
  'The account has no contacts that it shows its status to.',
)

export function buildStatusPost(request: ActionInput<'message.sendStatus'>): ContentToSend {
  const { type, text, font, mimetype, background_color: background = DEFAULT_COLOR } = request
  if (type === 'text') return { kind: 'text', text, look: { background, font } }
  const voice = type === 'audio'
  const shownAs = voice ? 'ptt' : type
  const file = {
    type: shownAs,
    mimetype: mimetype || presetTypes[shownAs],
    caption: voice ? '' : text,
  } as const
  return { kind: 'media', file: { ...file, fileName: '', viewOnce: false, ...(voice && { background }) } }
}
