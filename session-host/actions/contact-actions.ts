// Actions on the phone's contacts.

import { extractPhone } from '@msgnet/shared/jid.ts'
import { createDoneOutcome, createRefusal } from '@msgnet/shared/wire/outcome.ts'
import { countContacts, listContacts } from '../store/setting-store.ts'
import { type ActionTable, toFailedOutcome } from './action.ts'
import { checkSettingsReady } from './settings-ready.ts'

export const contactActions: ActionTable<'contact'> = {
  async 'contact.list'({ session: { store, instance }, turnDeadline, chats }, page) {
    const { rows, total } = await store.heavyReads.run(
      instance,
      async (reader) => ({
        rows: await listContacts(reader, instance, page, chats?.choice),
        total: await countContacts(reader, instance, page.contactScope, chats?.choice),
      }),
      turnDeadline,
    )
    const contacts = rows.map(({ jid, name, firstName, username }) => ({
      jid,
      contact_name: name,
      contact_FirstName: firstName,
      ...(username !== null && { username }),
    }))
    return createDoneOutcome({ contacts, total })
  },

  async 'contact.add'({ session, network, deadline }, { number, phone, name }) {
    const requested = number ?? phone
    if (!network || !requested) return createRefusal('not_connected')
    const notReady = await checkSettingsReady(network, deadline)
    if (notReady) return notReady
    const found = await network.findAccount(requested, deadline)
    if (found.kind === 'refused' && found.code === NOT_FOUND) return createRefusal('not_on_network')
    if (found.kind !== 'done') return toFailedOutcome(found)
    const [first = name] = name.split(' ')
    const answer = await network.settings.addContact(found.value, { full: name, first }, deadline)
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    await session.settings.applyChanges({ kind: 'contact', person: found.value, name, firstName: first })
    const jid = found.value.pn || found.value.id
    const contact = { jid, name, phone: extractPhone(jid) }
    return createDoneOutcome({ success: true as const, message: 'Contact added', contact })
  },

  async 'contact.remove'({ session, network, deadline }, { number, phone }) {
    const requested = number ?? phone
    if (!network || !requested) return createRefusal('not_connected')
    const notReady = await checkSettingsReady(network, deadline)
    if (notReady) return notReady
    const person = await network.findKnownIds(requested)
    const answer = await network.settings.removeContact(person, deadline)
    if (answer.kind !== 'done') return toFailedOutcome(answer)
    await session.settings.applyChanges({ kind: 'contact', person, name: '', firstName: '' })
    const jid = person.pn || person.id
    const removed_contact = { jid, phone: extractPhone(jid) }
    return createDoneOutcome({ success: true as const, message: 'Contact removed', removed_contact })
  },
}

const NOT_FOUND = 404
