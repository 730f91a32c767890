// The form of address under which a phone knows someone whom it met in a group only: it answers in that form.
import type { Network } from '../network/network.ts'
import type { Account } from '../store/accounts.ts'
import type { Form } from '../store/messages.ts'

const known = ({ number }: Account) => `known_as_${number}`

/** A device has begun a session with this phone in a group. */
export function rememberForm({ store }: Network, phone: Account, other: Account, form: Form) {
  store.privacy.set(phone.number, known(other), form)
}

export function answeringForm({ store }: Network, phone: Account, other: Account): Form {
  const met = store.privacy.get(phone.number, known(other), 'pn') === 'lid'
  return met && !store.messages.hasWrittenTo(other.number, phone.number) ? 'lid' : 'pn'
}
