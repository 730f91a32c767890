// The audience of an account's status posts, by the settings of its phone.
import * as z from 'zod'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'

/** All contacts, all but the named ones, or only the named ones. */
export const AUDIENCES = ['contacts', 'blacklist', 'whitelist'] as const

export const StatusAudience = z.strictObject({
  type: z.enum(AUDIENCES),
  numbers: z.array(z.string()).default([]),
})
export type StatusAudience = z.infer<typeof StatusAudience>

const CATEGORY = 'status_audience'
const ALL_CONTACTS = JSON.stringify({ type: 'contacts' })

export const readStatusAudience = ({ store }: Network, { number }: Account): StatusAudience =>
  StatusAudience.parse(JSON.parse(store.privacy.readValue(number, CATEGORY, ALL_CONTACTS)))

export function setStatusAudience({ store }: Network, { number }: Account, audience: StatusAudience) {
  store.privacy.storeValue(number, CATEGORY, JSON.stringify(audience))
}
