// The audience of an account's status posts, by the settings of its phone.
import * as z from 'zod'
import type { Account } from '../../store/accounts.ts'
import type { Network } from '../network.ts'

/** All contacts, all but the named ones, or only the named ones. */
export const AUDIENCES = ['contacts', 'blacklist', 'whitelist'] as const

export const StatusAudience = z.strictObject({
  type: z.enum(AUDIENCES),
  numbers: z.array(z.string()).default([]),
})
export type StatusAudience = z.infer<typeof StatusAudience>

const CATEGORY = 'status_audience'
const EVERYBODY = JSON.stringify({ type: 'contacts' })

export const statusAudienceOf = ({ store }: Network, { number }: Account): StatusAudience =>
  StatusAudience.parse(JSON.parse(store.privacy.get(number, CATEGORY, EVERYBODY)))

export function setStatusAudience({ store }: Network, { number }: Account, audience: StatusAudience) {
  store.privacy.set(number, CATEGORY, JSON.stringify(audience))
}
