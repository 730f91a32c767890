// Apart from what sends and what blocks, because both name people so: by a number, or by the id that webhooks have for them.

import type { Identities } from '@msgnet/shared/contract/identity-requests.ts'
import { PERSON_SUFFIX } from '@msgnet/shared/jid.ts'
import type { Context } from 'hono'
import { callContract } from '../http/call-contract.ts'
import type { EdgeEnv } from '../request/request-context.ts'

/** The country, a dot, and the digits of the LID, or of the number where no LID is known. */
const USER_ID = /^[A-Z]{2}\.(\d{5,20})$/

/** The id of a person as other programs of the network write it. */
const OUTER_SUFFIX = /@(s\.whatsapp\.net|c\.us)$/

/** A text that is no id of a user is returned as the contract takes it. */
export async function findRecipient(c: Context<EdgeEnv>, name: string): Promise<string> {
  const [, digits] = USER_ID.exec(name) ?? []
  if (digits === undefined) return name.replace(OUTER_SUFFIX, PERSON_SUFFIX)
  const lid = `${digits}@lid`
  if (name.startsWith('ZZ.')) return lid
  const [known] = await callContract<Identities>(c, 'resolveIdentities', { body: { ids: [lid] } })
  return known?.jid ? lid : digits
}
