// The form of address for a person that a phone knows from a group only: it replies in the form that it saw there.
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { AddressForm } from '../store/message-table.ts'

const formatCategory = ({ number }: Account) => `known_as_${number}`

/** A device has begun a session with this phone in a group. */
export function storeForm({ store }: Network, phone: Account, other: Account, form: AddressForm) {
  store.privacy.storeValue(phone.number, formatCategory(other), form)
}

export function chooseForm({ store }: Network, phone: Account, other: Account): AddressForm {
  const met = store.privacy.readValue(phone.number, formatCategory(other), 'pn') === 'lid'
  return met && !store.messages.hasWrittenTo(other.number, phone.number) ? 'lid' : 'pn'
}
