// Stored answers of Idempotency-Keys. The body is sealed for its key, because it may hold tokens and message text.

import type { Statement } from '../../shared/db/statements.ts'
import { utf8 } from '../bytes.ts'
import type { Env } from '../env.ts'
import { sealerOf } from '../seals.ts'
import { type Claim, type KeyRow, keepAnswer, type Owned } from './idempotency-keys.ts'

const contextOf = ({ scope, key }: Pick<Claim, 'scope' | 'key'>) => `replay:${scope}:${key}`

/** The statement that stores this body under the key. */
export async function keptAnswer(
  env: Env,
  owned: Owned,
  status: number,
  body: string | Uint8Array<ArrayBuffer>,
): Promise<Statement> {
  const sealer = await sealerOf(env, 'edge/replay')
  const bytes = typeof body === 'string' ? utf8(body) : body
  return keepAnswer(owned, status, await sealer.seal(bytes, contextOf(owned)))
}

/** The body of the stored answer. */
export async function openAnswer(env: Env, row: KeyRow): Promise<Uint8Array<ArrayBuffer>> {
  const sealer = await sealerOf(env, 'edge/replay')
  return sealer.open(new Uint8Array(row.response ?? []), contextOf(row))
}
