// Stored answers of Idempotency-Keys. The body is sealed for its key, because it may hold tokens and message text.

import type { Statement } from '../../shared/db/prepared-queries.ts'
import { encodeUtf8 } from '../bytes.ts'
import type { Env } from '../env.ts'
import { findSealer } from '../sealers.ts'
import { type Claim, type KeyRow, type Owned, storeResponse } from './key-store.ts'

const formatSealContext = ({ scope, key }: Pick<Claim, 'scope' | 'key'>) => `replay:${scope}:${key}`

/** The statement that stores this body under the key. */
export async function sealResponse(
  env: Env,
  owned: Owned,
  status: number,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<Statement> {
  const sealer = await findSealer(env, 'edge/replay')
  const bytes = typeof body === 'string' ? encodeUtf8(body) : body
  return storeResponse(owned, status, await sealer.seal(bytes, formatSealContext(owned)))
}

/** The body of the stored answer. */
export async function openResponse(env: Env, row: KeyRow): Promise<Uint8Array<ArrayBuffer>> {
  const sealer = await findSealer(env, 'edge/replay')
  return sealer.open(new Uint8Array(row.response ?? []), formatSealContext(row))
}
