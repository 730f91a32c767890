// Ids at the border: the network's own suffix outside, ours inside; a device part never comes in.

import { isJidGroup, isLidUser, jidDecode } from 'baileys'
import { PERSON_SUFFIX } from '../../../shared/jid.ts'
import type { Person } from '../driver.ts'

const NETWORK_SUFFIX = '@s.whatsapp.net'

/** Ours, without device; the empty string for nothing. */
export function inward(id: string | null | undefined): string {
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

/** The network's. */
export const outward = (id: string): string =>
  id.endsWith(PERSON_SUFFIX) ? id.slice(0, -PERSON_SUFFIX.length) + NETWORK_SUFFIX : id

/** One person from the spellings that the network used, in the order it used them. */
export function person(...spellings: (string | null | undefined)[]): Person {
  const known = spellings.map(inward).filter((id) => id !== '')
  return {
    id: known[0] ?? '',
    pn: known.find((id) => id.endsWith(PERSON_SUFFIX)) ?? '',
    lid: known.find((id) => isLidUser(id)) ?? '',
  }
}

/** A chat is filed under the phone number where the network told it, so that both spellings find it. */
export function chat(...spellings: (string | null | undefined)[]): Person {
  const first = inward(spellings[0])
  if (isJidGroup(first)) return { id: first, pn: '', lid: '' }
  const one = person(...spellings)
  return { ...one, id: one.pn || one.id }
}
