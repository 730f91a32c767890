// The headers that a caller adds to the requests to a webhook: sealed in its row, and opened to send.

import { SealError } from '@msgnet/shared/seal.ts'
import { encodeUtf8 } from '../runtime/bytes.ts'
import { findSealer } from '../sealed/sealers.ts'
import type { Env } from '../settings/env.ts'

type Headers = Record<string, string>

/** The columns of a webhook. */
export interface HeaderColumns {
  headerNames: string[] | null
  headers: Uint8Array<ArrayBuffer> | null
}

const formatSealContext = (owner: string) => `webhook-headers:${owner}`

/** `owner`: as `findOwner` returns it. */
export async function sealHeaders(env: Env, owner: string, headers: Headers): Promise<HeaderColumns> {
  const headerNames = Object.keys(headers)
  if (headerNames.length === 0) return { headerNames: null, headers: null }
  const sealer = await findSealer(env, 'edge/webhook-headers')
  return {
    headerNames,
    headers: await sealer.seal(encodeUtf8(JSON.stringify(headers)), formatSealContext(owner)),
  }
}

/** Throws SealError if they cannot be opened: without them the receiver would refuse, or take the request for another's. */
export async function openHeaders(
  env: Env,
  owner: string,
  sealed: HeaderColumns['headers'],
): Promise<Headers> {
  if (!sealed) return {}
  const sealer = await findSealer(env, 'edge/webhook-headers')
  const bytes = await sealer.open(new Uint8Array(sealed), formatSealContext(owner))
  return JSON.parse(new TextDecoder().decode(bytes)) as Headers
}

/** Whether these are the present ones. Values that cannot be opened are others. */
export async function hasSameHeaders(
  env: Env,
  owner: string,
  sealed: HeaderColumns['headers'],
  headers: Headers,
): Promise<boolean> {
  if (!sealed) return Object.keys(headers).length === 0
  try {
    return JSON.stringify(await openHeaders(env, owner, sealed)) === JSON.stringify(headers)
  } catch (error) {
    if (error instanceof SealError) return false
    throw error
  }
}
