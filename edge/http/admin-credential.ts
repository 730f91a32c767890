// Apart from auth.ts, because dialects ask it too, before the request is one to the contract: whether a credential is that of an admin.

import type { Env } from '../settings/env.ts'

/** Of admin tokens beside that of the environment. */
export const ADMIN_FORM = /^mga_[\w-]{43}$/

let rootToken = { token: '', digest: '' }

/** The digest of `ADMIN_TOKEN`, which does not change: it is computed once. */
async function digestRootToken({ runtime }: Env, token: string): Promise<string> {
  if (rootToken.token !== token) rootToken = { token, digest: await runtime.cryptography.digest(token) }
  return rootToken.digest
}

/** Whether the token with this digest is that of the environment. Digests are compared, so that the time reveals nothing. */
export const isRootToken = async (env: Env, digest: string): Promise<boolean> =>
  env.ADMIN_TOKEN ? digest === (await digestRootToken(env, env.ADMIN_TOKEN)) : false

/** Whether a credential claims to be an admin's. It is not verified: a token of its form may be nobody's. */
export const isAdminCredential = async (env: Env, token: string): Promise<boolean> =>
  ADMIN_FORM.test(token) || isRootToken(env, await env.runtime.cryptography.digest(token))
