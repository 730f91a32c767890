// What is done about a recipient of whom the network lists no devices: the library would send to nobody, and report success.

import { type CacheStore, jidDecode, type WASocket } from 'baileys'
import type { NetworkOutcome } from '../../driver.ts'
import { checkNumbers } from '../account-lookup.ts'
import { toGatewayJid } from '../ids.ts'
import type { Address } from '../recipient-addressing.ts'

const NO_ACCOUNT = { kind: 'refused', code: 404, message: 'the account has no device' } as const
/** Every account has a phone, under this number. */
const PHONE = 0

/**
 * Refused with 404 when there is no account. An empty list does not mean that: then the phone alone is put into the list, as the
 * network's own program does it.
 */
export async function assumePhone(
  sock: WASocket,
  cache: CacheStore,
  { to, pn }: Address,
  deadline: AbortSignal,
): Promise<NetworkOutcome<undefined>> {
  const { user, server } = jidDecode(to) ?? {}
  if (pn === undefined || user === undefined) return NO_ACCOUNT
  const outcome = await checkNumbers(sock, [toGatewayJid(pn)], deadline)
  if (outcome.kind === 'refused') return outcome
  const exists = outcome.kind === 'done' ? outcome.value[0]?.exists : undefined
  // Nothing was written yet.
  if (exists === undefined) return { kind: 'prevented', by: 'lookup_incomplete' }
  if (!exists) return NO_ACCOUNT
  await cache.set(user, [{ user, server, device: PHONE }])
  return { kind: 'done', value: undefined }
}
