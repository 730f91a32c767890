// Actions on the phone's contacts.

import { phoneOf } from '../../shared/jid.ts'
import { done, refused } from '../../shared/wire/outcome.ts'
import { countContacts, listContacts } from '../store/settings.ts'
import { type ActionTable, notDone } from './action.ts'
import { settingsReady } from './settings-ready.ts'

export const contactActions: ActionTable<'contact'> = {
  async 'contact.list'({ session: { store, instance } }, page) {
    const rows = await listContacts(store, instance, page)
    const contacts = rows.map(({ jid, name, firstName }) => ({
      ...{ jid, contact_name: name, contact_FirstName: firstName },
    }))
    return done({ contacts, total: await countContacts(store, instance, page.contactScope) })
  },

  async 'contact.add'({ session, network, deadline }, { number, phone, name }) {
    const wanted = number ?? phone
    if (!network || !wanted) return refused('not_connected')
    const notReady = await settingsReady(network, deadline)
    if (notReady) return notReady
    const found = await network.findAccount(wanted, deadline)
    if (found.kind === 'refused' && found.code === NOT_FOUND) return refused('not_on_network')
    if (found.kind !== 'done') return notDone(found)
    const [first = name] = name.split(' ')
    const answer = await network.settings.addContact(found.value, { full: name, first }, deadline)
    if (answer.kind !== 'done') return notDone(answer)
    await session.settings.apply({ kind: 'contact', person: found.value, name, firstName: first })
    const jid = found.value.pn || found.value.id
    const contact = { jid, name, phone: phoneOf(jid) }
    return done({ success: true as const, message: 'Contact added', contact })
  },

  async 'contact.remove'({ session, network, deadline }, { number, phone }) {
    const wanted = number ?? phone
    if (!network || !wanted) return refused('not_connected')
    const notReady = await settingsReady(network, deadline)
    if (notReady) return notReady
    const person = await network.knownAs(wanted)
    const answer = await network.settings.removeContact(person, deadline)
    if (answer.kind !== 'done') return notDone(answer)
    await session.settings.apply({ kind: 'contact', person, name: '', firstName: '' })
    const jid = person.pn || person.id
    const removed_contact = { jid, phone: phoneOf(jid) }
    return done({ success: true as const, message: 'Contact removed', removed_contact })
  },
}

const NOT_FOUND = 404
