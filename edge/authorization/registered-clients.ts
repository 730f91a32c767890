// Clients that registered themselves (RFC 7591). Nothing of them is stored: their id is what they said, sealed.

import { encodeBase64Url } from '@msgnet/shared/random-tokens.ts'
import { SealError } from '@msgnet/shared/seal.ts'
import * as z from 'zod'
import { decodeBase64 } from '../runtime/base64.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { findSealer } from '../sealed/sealers.ts'
import type { Env } from '../settings/env.ts'
import { AuthorizationError } from './authorization-error.ts'
import { parseRedirectUri } from './redirect-uris.ts'

const MAX_REDIRECT_URIS = 5
const MAX_NAME_LENGTH = 100

export interface Client {
  name: string
  redirectUris: string[]
  /** The host of the document that describes it; empty if only the client does. */
  host: string
}

const PREFIX = 'client_'
/** Five URIs and a name, sealed, in base64. */
const FORM = /^client_[\w-]{40,8000}$/

const Registration = z.object({
  redirect_uris: z.array(z.string()).min(1).max(MAX_REDIRECT_URIS),
  client_name: z
    .string()
    .refine((name) => name.isWellFormed())
    .nullish(),
})

const Sealed = z.object({ name: z.string(), redirectUris: z.array(z.string()) })

/** The ids of one gateway mean nothing to another, even with the same keys. */
const formatContext = (issuer: string) => `client:${issuer}`

/** Throws an AuthorizationError that says what is wrong. What is not known here is ignored, as the standard wants it. */
export async function registerClient(env: Env, issuer: string, input: unknown) {
  const parsed = Registration.safeParse(input)
  if (!parsed.success) throw explainWrong(parsed.error.issues)
  const { redirect_uris: redirectUris, client_name: given } = parsed.data
  if (!redirectUris.every(parseRedirectUri))
    throw new AuthorizationError(
      'invalid_redirect_uri',
      'Each of redirect_uris must be https, or http on localhost, without a fragment, and without code, state, iss or error in its query.',
    )
  const name = cleanName(given ?? '') || (parseRedirectUri(redirectUris[0] ?? '')?.host ?? '')
  const sealer = await findSealer(env, 'edge/client')
  const plain = encodeUtf8(JSON.stringify({ name, redirectUris }))
  const id = PREFIX + encodeBase64Url(await sealer.seal(plain, formatContext(issuer)))
  return { id, name, redirectUris }
}

function explainWrong(issues: readonly { path: PropertyKey[] }[]): AuthorizationError {
  if (issues.some(({ path }) => path.length === 0))
    return new AuthorizationError('invalid_client_metadata', 'The body must be an object.')
  if (issues.some(({ path }) => path[0] === 'redirect_uris'))
    return new AuthorizationError(
      'invalid_redirect_uri',
      `redirect_uris must have 1 to ${MAX_REDIRECT_URIS} URIs.`,
    )
  return new AuthorizationError('invalid_client_metadata', 'client_name must be text.')
}

/** Undefined unless this gateway made the id. */
export async function openRegisteredClient(
  env: Env,
  issuer: string,
  id: string,
): Promise<Client | undefined> {
  const sealed = FORM.test(id) ? decodeUrlText(id.slice(PREFIX.length)) : undefined
  if (!sealed) return undefined
  const sealer = await findSealer(env, 'edge/client')
  try {
    const plain = new TextDecoder().decode(await sealer.open(sealed, formatContext(issuer)))
    return { ...Sealed.parse(JSON.parse(plain)), host: '' }
  } catch (error) {
    if (error instanceof SealError) return undefined
    throw error
  }
}

function decodeUrlText(text: string) {
  const standard = text.replaceAll('-', '+').replaceAll('_', '/')
  return decodeBase64(standard.padEnd(Math.ceil(standard.length / 4) * 4, '='))
}

/** As a scoped token may be called: one line, without what reorders text. */
export const cleanName = (name: string): string =>
  [...name.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()].slice(0, MAX_NAME_LENGTH).join('').trim()
