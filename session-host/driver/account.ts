// What a driver can be asked to do with the account itself.

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
/** In the network's words; the empty string for what it does not tell. */
export type PrivacySettings = Record<(typeof privacyCategories)[number], string>

/** Whom the account shows its status posts to, among its contacts. */
export interface StatusAudience {
  to: 'contacts' | 'contacts_except' | 'only'
  people: Person[]
}

export interface AccountNetwork {
  statusAudience(deadline: AbortSignal): Promise<Answer<StatusAudience>>
  blocked(deadline: AbortSignal): Promise<Answer<Person[]>>
  /** The same, asked for once a connection and kept up with what is told. */
  knownBlocked(deadline: AbortSignal): Promise<Answer<Person[]>>
  block(person: Person, on: boolean, deadline: AbortSignal): Promise<Answer>
  privacy(deadline: AbortSignal): Promise<Answer<PrivacySettings>>
  setPrivacy(category: keyof PrivacySettings, value: string, deadline: AbortSignal): Promise<Answer>
  /** Where somebody's or a group's picture is; empty where there is none, or none for us. */
  pictureUrl(jid: string, preview: boolean, deadline: AbortSignal): Promise<Answer<string>>
  /** The picture that is at such a place; refused as 413 when it has more than `atMost` bytes. */
  picture(url: string, atMost: number, deadline: AbortSignal): Promise<Answer<Uint8Array>>
  /** Done when the network has read it. */
  showPresence(presence: 'available' | 'unavailable', deadline: AbortSignal): Promise<Answer>
  /** Answers the picture's id. */
  setPicture(jpeg: Uint8Array, deadline: AbortSignal): Promise<Answer<string>>
  removePicture(deadline: AbortSignal): Promise<Answer>
}
