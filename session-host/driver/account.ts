// The driver's calls on the account itself.

import type { Answer } from './answer.ts'
import type { Person } from './person.ts'

export const privacyCategories = [
  'groupadd',
  'last',
  'status',
  'profile',
  'readreceipts',
  'online',
  'calladd',
] as const
/** The network's values; the empty string for a category that it does not report. */
export type PrivacySettings = Record<(typeof privacyCategories)[number], string>

/** The contacts that the account shows its status posts to. */
export interface StatusAudience {
  to: 'contacts' | 'contacts_except' | 'only'
  people: Person[]
}

export interface AccountNetwork {
  statusAudience(deadline: AbortSignal): Promise<Answer<StatusAudience>>
  blocked(deadline: AbortSignal): Promise<Answer<Person[]>>
  /** The same, requested once a connection and updated by events. */
  knownBlocked(deadline: AbortSignal): Promise<Answer<Person[]>>
  block(person: Person, on: boolean, deadline: AbortSignal): Promise<Answer>
  privacy(deadline: AbortSignal): Promise<Answer<PrivacySettings>>
  setPrivacy(category: keyof PrivacySettings, value: string, deadline: AbortSignal): Promise<Answer>
  /** The URL of a person's or a group's picture; empty if there is none, or if it is hidden from us. */
  pictureUrl(jid: string, preview: boolean, deadline: AbortSignal): Promise<Answer<string>>
  /** The picture at such a URL; refused as 413 when it has more than `atMost` bytes. */
  picture(url: string, atMost: number, deadline: AbortSignal): Promise<Answer<Uint8Array>>
  /** Done when the network has read it. */
  showPresence(presence: 'available' | 'unavailable', deadline: AbortSignal): Promise<Answer>
  /** Answers the picture's id. */
  setPicture(jpeg: Uint8Array, deadline: AbortSignal): Promise<Answer<string>>
  removePicture(deadline: AbortSignal): Promise<Answer>
}
