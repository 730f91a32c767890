// Converts ids between the network's suffix and ours, and removes the device part of incoming ones.

import { PERSON_SUFFIX, STATUS_JID } from '@msgnet/shared/jid.ts'
import { isJidGroup, isLidUser, jidDecode } from 'baileys'
import type { Person } from '../driver.ts'

const NETWORK_SUFFIX = '@s.whatsapp.net'

/** The id in our form, without device; the empty string for none. */
export function toGatewayJid(id: string | null | undefined): string {
  const parts = id ? jidDecode(id) : undefined
  if (!parts?.user) return ''
  switch (parts.server) {
    case 's.whatsapp.net':
    case 'c.us':
    case 'hosted':
      return parts.user + PERSON_SUFFIX
    case 'lid':
    case 'hosted.lid':
      return `${parts.user}@lid`
    default:
      return `${parts.user}@${parts.server}`
  }
}

/** The id in the network's form. */
export const toNetworkJid = (id: string): string =>
  id.endsWith(PERSON_SUFFIX) ? id.slice(0, -PERSON_SUFFIX.length) + NETWORK_SUFFIX : id

/** A person from the ids that the network used, in that order. */
export function toPerson(...ids: (string | null | undefined)[]): Person {
  const known = ids.map(toGatewayJid).filter((id) => id !== '')
  return {
    id: known[0] ?? '',
    pn: known.find((id) => id.endsWith(PERSON_SUFFIX)) ?? '',
    lid: known.find((id) => isLidUser(id)) ?? '',
  }
}

/** A chat's id is the phone number if that is known, so that both ids find it. */
export function toChat(...ids: (string | null | undefined)[]): Person {
  const first = toGatewayJid(ids[0])
  // The library names the author's other id beside that of a shared chat too.
  if (isJidGroup(first) || first === STATUS_JID) return { id: first, pn: '', lid: '' }
  const person = toPerson(...ids)
  return { ...person, id: person.pn || person.id }
}
