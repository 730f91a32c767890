// Status posts and their audience: the phone's contacts, limited by the account's privacy settings.

import { DEFAULT_COLOR } from '@msgnet/shared/contract/status-requests.ts'
import { createRefusal } from '@msgnet/shared/wire/outcome.ts'
import type { ActionInput } from '@msgnet/shared/wire/session-actions.ts'
import type { Connection, ContentToSend, NetworkOutcome, Person } from '../driver/driver.ts'
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
  const { to, people: named } = answer.value
  const selected = to === 'only' ? named : people
  const excluded = to === 'contacts_except' ? named : []
  const found = await findAccounts(network, excludePeople(selected, excluded), deadline)
  if (found.kind !== 'done') return found
  // Once more: the other ids of some contacts are known only now.
  const viewers = excludePeople(found.value, excluded).map(({ pn, lid }) => lid || pn)
  if (viewers.length === 0) return { kind: 'done', value: [] }
  // The account itself, so that its other devices show the post.
  return { kind: 'done', value: [...viewers, state.now.lid || state.now.jid] }
}

function excludePeople(people: Person[], excluded: Person[]): Person[] {
  const ids = new Set(excluded.flatMap(listJidForms))
  return people.filter((person) => !listJidForms(person).some((id) => ids.has(id)))
}

const listJidForms = ({ id, pn, lid }: Person) => [id, pn, lid].filter(Boolean)

/** Contacts without a known `@lid` may have no account; they are checked in one request. */
async function findAccounts(
  network: Connection,
  people: Person[],
  deadline: AbortSignal,
): Promise<NetworkOutcome<Person[]>> {
  const strangers = people.filter(({ lid }) => !lid).map(({ id }) => id)
  if (strangers.length === 0) return { kind: 'done', value: people }
  const answer = await network.checkNumbers(strangers, deadline)
  if (answer.kind !== 'done') return answer
  const found = answer.value.flatMap(({ exists, person }) => (exists ? [person] : []))
  return { kind: 'done', value: [...people.filter(({ lid }) => lid), ...found] }
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
