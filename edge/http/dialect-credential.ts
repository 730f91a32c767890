// Where a dialect found the credential of its caller, and where the contract has it.

import type { Env } from '../settings/env.ts'
import { openStore } from '../store/database/open-store.ts'
import { findInstanceIdByName } from '../store/instance-queries.ts'
import { isAdminCredential } from './admin-credential.ts'

interface FoundCredential {
  /** Empty without one. */
  token: string
  /** Where this form has it: the caller's own words there, and in the headers of the contract, are removed. */
  header: string
  /** Which the path names, and for which an admin acts; empty for none. */
  instanceName: string
}

/** Returns the headers with the token of an instance, or with that of an admin and the instance that the admin acts for. */
export async function placeCredential(
  env: Env,
  original: Headers,
  { token, header, instanceName }: FoundCredential,
): Promise<Headers> {
  const headers = new Headers(original)
  for (const name of [header, 'token', 'admintoken', 'instance']) headers.delete(name)
  if (token === '') return headers
  const isAdmin = await isAdminCredential(env, token)
  headers.set(isAdmin ? 'admintoken' : 'token', token)
  // One that is not there is refused after the token was checked.
  if (isAdmin && instanceName !== '')
    headers.set('instance', (await findInstanceIdByName(openStore(env), instanceName)) ?? crypto.randomUUID())
  return headers
}
