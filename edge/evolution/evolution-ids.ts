// Ids of people, and states, in the words of Evolution and in those of the contract.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { isGroup, isLid, PERSON_SUFFIX, parsePhone } from '@msgnet/shared/jid.ts'

const OUTER_SUFFIX = '@s.whatsapp.net'
const OUTER_FORMS = /@(s\.whatsapp\.net|c\.us)$/

/** As receivers and callers of this form read it. Digits count as a number. */
export function toOuterId(jid: string): string {
  if (jid.endsWith(PERSON_SUFFIX)) return jid.slice(0, -PERSON_SUFFIX.length) + OUTER_SUFFIX
  const phone = jid.includes('@') ? undefined : parsePhone(jid)
  return phone ? phone + OUTER_SUFFIX : jid
}

/** As the contract takes it. Some programs send numbers as JSON numbers. */
export const toOwnId = (id: unknown): string => String(id ?? '').replace(OUTER_FORMS, PERSON_SUFFIX)

/** Of a list; none if it is not one. */
export const listNumbers = (value: unknown): string[] => (Array.isArray(value) ? value.map(toOwnId) : [])

/** Its ending may be left out. */
export const toGroupId = (id: unknown): string => String(id ?? '').replace(/^[^@]+$/, '$&@g.us')

/** A person by both of their ids: the number first wherever it is known. */
export function orderIds(jid: string, phone: string, lid: string): { id: string; other: string } {
  const ids = [phone, isLid(jid) ? '' : jid, lid, jid].filter(Boolean)
  const [id = ''] = ids
  const other = isGroup(id) ? '' : (ids.find((one) => isLid(one) !== isLid(id)) ?? '')
  return { id: toOuterId(id), other: toOuterId(other) }
}

export const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / SECOND)

/** Of a connection. */
export const toState = (status: string): 'open' | 'connecting' | 'close' =>
  status === 'connected' ? 'open' : status === 'connecting' ? 'connecting' : 'close'
