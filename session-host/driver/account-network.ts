// The driver's calls on the account itself.

import type { NetworkOutcome } from './network-outcome.ts'
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
  getStatusAudience(deadline: AbortSignal): Promise<NetworkOutcome<StatusAudience>>
  getBlockList(deadline: AbortSignal): Promise<NetworkOutcome<Person[]>>
  /** The same, requested once a connection and updated by events. */
  getCachedBlockList(deadline: AbortSignal): Promise<NetworkOutcome<Person[]>>
  setBlocked(person: Person, on: boolean, deadline: AbortSignal): Promise<NetworkOutcome>
  getPrivacySettings(deadline: AbortSignal): Promise<NetworkOutcome<PrivacySettings>>
  setPrivacySetting(
    category: keyof PrivacySettings,
    value: string,
    deadline: AbortSignal,
  ): Promise<NetworkOutcome>
  /** The account's own about text. */
  getAbout(deadline: AbortSignal): Promise<NetworkOutcome<string>>
  setAbout(text: string, deadline: AbortSignal): Promise<NetworkOutcome>
  /** The URL of a person's or a group's picture; empty if there is none, or if it is hidden from us. */
  getPictureUrl(jid: string, preview: boolean, deadline: AbortSignal): Promise<NetworkOutcome<string>>
  /** The picture at such a URL; refused as 413 when it has more than `maxBytes` bytes. */
  downloadPicture(url: string, maxBytes: number, deadline: AbortSignal): Promise<NetworkOutcome<Uint8Array>>
  /** Done when the network has read it. */
  showPresence(presence: 'available' | 'unavailable', deadline: AbortSignal): Promise<NetworkOutcome>
  /** The picture's id. */
  setPicture(jpeg: Uint8Array, deadline: AbortSignal): Promise<NetworkOutcome<string>>
  removePicture(deadline: AbortSignal): Promise<NetworkOutcome>
}
